"""Operations of accounts: users, log-ins, addresses, sessions, deletion."""
