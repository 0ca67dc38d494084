// Tables whose accounts another server keeps.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Reports an error if a table is distributed, or a shard, and this server is a worker of the
// cluster: whether it is protected is known to the coordinator alone, so an answer that is finished
// here might have to be charged there.
void refuse_answers_of_worker(List* relations);

}  // namespace idp
