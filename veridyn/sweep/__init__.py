"""`veridyn sweep`: a case over many parameter sets."""
