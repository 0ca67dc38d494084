#include "extension/access/untouched.h"

#include "extension/access/hidden.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "nodes/nodeFuncs.h"
}

namespace idp {

namespace {

bool is_added(Oid function, void*) { return function >= FirstNormalObjectId; }

bool find_concern(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) {
    auto* query = as<Query>(node);
    return names_hidden_table(query) || walk_query(query, find_concern, nullptr);
  }
  return check_functions_in_node(node, is_added, nullptr) ||
         walk_expression(node, find_concern, nullptr);
}

}  // namespace

bool is_untouched(Query* query) { return !find_concern(as<Node>(query), nullptr); }

}  // namespace idp
