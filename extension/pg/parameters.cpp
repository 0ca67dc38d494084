#include "extension/pg/parameters.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

bool find_parameter(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_parameter, nullptr);
  if (IsA(node, Param)) return as<Param>(node)->paramkind == PARAM_EXTERN;
  return walk_expression(node, find_parameter, nullptr);
}

}  // namespace

bool names_parameters(Node* node) { return find_parameter(node, nullptr); }

Node* constant_of(const Param* param, Datum value, bool is_null) {
  int16 length;
  bool by_value;
  get_typlenbyval(param->paramtype, &length, &by_value);
  const Datum copy = is_null ? Datum{0} : datumCopy(value, by_value, length);
  return as<Node>(makeConst(param->paramtype, param->paramtypmod, param->paramcollid, length, copy,
                            is_null, by_value));
}

const ParamExternData* given_parameter(ParamListInfo parameters, int number, bool speculative,
                                       ParamExternData* room) {
  if (parameters == nullptr || number < 1 || number > parameters->numParams) return nullptr;
  return parameters->paramFetch != nullptr
             ? parameters->paramFetch(parameters, number, speculative, room)
             : &parameters->params[number - 1];
}

Node* given_value(const Param* param, ParamListInfo parameters) {
  ParamExternData room;
  const ParamExternData* data = given_parameter(parameters, param->paramid, false, &room);
  if (data == nullptr || data->ptype != param->paramtype) return nullptr;
  return constant_of(param, data->value, data->isnull);
}

}  // namespace idp
