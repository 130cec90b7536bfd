"""What daemon and hub both stand behind: guard, credentials, proof, problems, headers, server."""
