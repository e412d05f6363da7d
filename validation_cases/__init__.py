"""What is verified and how strictly: one folder per case, and the judgement they share."""
