// Statements that other servers are asked, over one table whose rows lie there: with the rights of
// the table's owner, whom no row is hidden from, and with the server's own names. Whoever plans SQL
// over that table here plans them: Citus, postgres_fdw.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"
}

namespace idp {

struct RemoteStatement {
  Relation table;
  const List* beside;   // of oid: other tables of the same owner's that it reads
  const EState* state;  // of the query that needs it
  const char* text;
  TupleDesc columns;  // what has to come, or it is an error
  // Whether the text has values of rows, which neither messages nor errors may show to those whom
  // rows are hidden from.
  bool tells_of_rows;
  bool is_one_of_several;  // which the query asks, one after the other
};

// Asks it, and puts what comes behind what the store has.
void ask_servers(const RemoteStatement& statement, Tuplestorestate* rows);

// Whether rows of a table are asked for at present: what is planned and executed meanwhile is such
// a statement, which reads that table and those beside it, or shards of them, and no other.
// Functions that are called meanwhile see no more than their own roles do.
bool is_asked_for(Oid table);

// Whether a query reads rows of a foreign table after the transaction has asked for such rows: the
// other server may show those of then to the end of the transaction, as that of postgres_fdw does.
bool may_be_of_the_past(EState* state);

// Names and values would not be those of this session's statement on the workers, where it runs
// with the rights of the owner.
void refuse_carried_settings(Relation table);

}  // namespace idp
