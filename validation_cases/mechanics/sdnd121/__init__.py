"""SDND121: forced vibro-impact against one stop."""
