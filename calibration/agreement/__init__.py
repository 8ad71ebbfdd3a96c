"""Agreement of judges with labels, behind `fiducial calibrate`."""
