// The SQL type idp.epsilons: an array of double precision under a name of its own, so that the
// overloads with several epsilons do not make an argument without a type ambiguous.
#include "extension/pg/pg.h"

extern "C" {
#include "utils/fmgroids.h"
}

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_epsilons_in);
Datum idp_epsilons_in(PG_FUNCTION_ARGS) {
  return OidFunctionCall3(F_ARRAY_IN, PG_GETARG_DATUM(0), ObjectIdGetDatum(FLOAT8OID),
                          Int32GetDatum(-1));
}

PG_FUNCTION_INFO_V1(idp_epsilons_out);
Datum idp_epsilons_out(PG_FUNCTION_ARGS) {
  return OidFunctionCall1(F_ARRAY_OUT, PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(idp_epsilons_recv);
Datum idp_epsilons_recv(PG_FUNCTION_ARGS) {
  return OidFunctionCall3(F_ARRAY_RECV, PG_GETARG_DATUM(0), ObjectIdGetDatum(FLOAT8OID),
                          Int32GetDatum(-1));
}

PG_FUNCTION_INFO_V1(idp_epsilons_send);
Datum idp_epsilons_send(PG_FUNCTION_ARGS) {
  return OidFunctionCall1(F_ARRAY_SEND, PG_GETARG_DATUM(0));
}

// The cast: its argument is one already.
PG_FUNCTION_INFO_V1(idp_epsilons);
Datum idp_epsilons(PG_FUNCTION_ARGS) { PG_RETURN_DATUM(PG_GETARG_DATUM(0)); }

}  // extern "C"
#pragma GCC visibility pop
