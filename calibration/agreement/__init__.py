"""How far judges agree with labels: what `fiducial calibrate` computes."""
