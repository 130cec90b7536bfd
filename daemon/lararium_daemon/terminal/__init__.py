"""What a person does from a terminal, on the client."""
