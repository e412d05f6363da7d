"""Cases of structural mechanics, a module each."""
