MAKERS: tuple = ()
