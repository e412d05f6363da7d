"""SDLD103: three masses between two supports that move differently."""
