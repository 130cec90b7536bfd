"""One router per resource, and the event stream."""
