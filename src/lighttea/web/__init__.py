"""What the services on this machine share: a listening socket, and the host names they accept."""
