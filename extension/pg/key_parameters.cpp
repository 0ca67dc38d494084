#include "extension/pg/key_parameters.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"

namespace idp {

namespace {

struct Found {
  bool has_groups = false;
  List* parameters = NIL;  // of Param, each once
};

bool add_parameters(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref) || IsA(node, Query)) return false;
  auto* found = static_cast<Found*>(context);
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXTERN) {
    found->parameters = list_append_unique(found->parameters, node);
    return false;
  }
  return walk_expression(node, add_parameters, context);
}

bool find_keys(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_keys, context);
  auto* query = as<Query>(node);
  auto* found = static_cast<Found*>(context);
  found->has_groups |= query->groupClause != NIL || query->distinctClause != NIL;
  (void)add_parameters(as<Node>(query->targetList), found);
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    (void)add_parameters(as<Node>(grouped_in(entry)), found);
  }
  return walk_query(query, find_keys, context);
}

// Whether the value cannot change before the plan is executed.
bool is_fixed(const Param* parameter, ParamListInfo parameters) {
  if (parameters == nullptr || parameter->paramid > parameters->numParams) return false;
  ParamExternData room;
  const int id = parameter->paramid;
  const ParamExternData* data = parameters->paramFetch
                                    ? parameters->paramFetch(parameters, id, true, &room)
                                    : &parameters->params[id - 1];
  return (data->pflags & PARAM_FLAG_CONST) != 0 && data->ptype == parameter->paramtype;
}

struct Filling {
  List* parameters;  // of Param
  ParamListInfo values;
};

Node* filled(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return as<Node>(map_query(as<Query>(node), filled, context));
  const auto* filling = static_cast<const Filling*>(context);
  if (IsA(node, Param) && list_member(filling->parameters, node)) {
    return given_value(as<Param>(node), filling->values);
  }
  return map_expression(node, filled, context);
}

}  // namespace

bool fill_in_key_parameters(Query* query, ParamListInfo parameters) {
  Found found;
  (void)find_keys(as<Node>(query), &found);
  if (!found.has_groups || found.parameters == NIL) return true;
  for (const auto* parameter : list<Param>(found.parameters)) {
    if (!is_fixed(parameter, parameters)) return false;
  }
  Filling filling{found.parameters, parameters};
  (void)map_query(query, filled, &filling, QTW_DONT_COPY_QUERY);
  return true;
}

}  // namespace idp
