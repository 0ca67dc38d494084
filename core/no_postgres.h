// A tripwire: the core must be usable, testable and readable without PostgreSQL. Every header of
// the core includes this one, and postgres.h defines POSTGRES_H. The glue in extension/ includes
// core headers after extension/pg/pg.h, which switches the tripwire off on purpose.
#if defined(POSTGRES_H) && !defined(IDP_EXTENSION_GLUE)
#error "core/ must not see postgres.h; only extension/ includes both"
#endif
