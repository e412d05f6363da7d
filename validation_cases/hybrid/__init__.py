"""Cases with events: impact, stick and slip, switching; a module each."""
