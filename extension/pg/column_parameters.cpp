#include "extension/pg/column_parameters.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/parameters.h"

namespace idp {

namespace {

// Of Param, each once. Of a private aggregate that somebody wrote the arguments are no columns, and
// of no aggregate is the condition.
bool add_parameters(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  auto* found = static_cast<List**>(context);
  if (IsA(node, Aggref)) {
    const auto* call = as<Aggref>(node);
    const bool is_plain = !is_own_function(call->aggfnoid);
    return is_plain && (add_parameters(as<Node>(call->args), context) ||
                        add_parameters(as<Node>(call->aggdirectargs), context));
  }
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXTERN) {
    *found = list_append_unique(*found, node);
    return false;
  }
  return walk_expression(node, add_parameters, context);
}

// What is done with answers is no column.
bool add_parameters_of_calls(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (IsA(node, Aggref)) return add_parameters(node, context);
  return walk_expression(node, add_parameters_of_calls, context);
}

bool add_parameters_of_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, add_parameters_of_columns, context);
  auto* query = as<Query>(node);
  const bool is_grouped = query->hasAggs || query->groupClause != NIL;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    const bool is_key = !is_grouped || target->ressortgroupref != 0;
    auto* column = as<Node>(target->expr);
    (void)(is_key ? add_parameters(column, context) : add_parameters_of_calls(column, context));
  }
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    (void)add_parameters(as<Node>(grouped_in(entry)), context);
  }
  return walk_query(query, add_parameters_of_columns, context);
}

// Whether the value cannot change before the plan is executed.
bool is_fixed(const Param* parameter, ParamListInfo parameters) {
  ParamExternData room;
  const ParamExternData* data = given_parameter(parameters, parameter->paramid, true, &room);
  return data != nullptr && (data->pflags & PARAM_FLAG_CONST) != 0 &&
         data->ptype == parameter->paramtype;
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

bool fill_in_column_parameters(Query* query, ParamListInfo parameters) {
  List* found = NIL;
  (void)add_parameters_of_columns(as<Node>(query), &found);
  for (const auto* parameter : list<Param>(found)) {
    if (!is_fixed(parameter, parameters)) return false;
  }
  if (found == NIL) return true;
  Filling filling{found, parameters};
  (void)map_query(query, filled, &filling, QTW_DONT_COPY_QUERY);
  return true;
}

}  // namespace idp
