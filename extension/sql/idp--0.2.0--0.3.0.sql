-- idp 0.3.0: what attacks on 0.2.0, other servers and their clients asked for.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit
