"""What executing calls needs: replies read to call texts, and call texts evaluated without running any code of theirs."""
