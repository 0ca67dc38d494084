#include "extension/distribute/elsewhere.h"

#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"

namespace idp {

void refuse_answers_of_worker(List* relations) {
  if (relations == NIL || !is_citus_worker()) return;
  for (const Oid relation : oids(relations)) {
    if (!is_citus_table(relation) && !OidIsValid(citus_table_of_shard(relation))) continue;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("private answers about \"%s\" cannot be computed by a worker of Citus",
                    get_rel_name(relation)),
             errdetail("Only the coordinator knows whether they are charged."),
             errhint("Ask the coordinator, in a query that it cannot leave to one worker.")));
  }
}

}  // namespace idp
