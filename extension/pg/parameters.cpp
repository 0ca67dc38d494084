#include "extension/pg/parameters.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace idp {

Node* constant_of(const Param* param, Datum value, bool is_null) {
  int16 length;
  bool by_value;
  get_typlenbyval(param->paramtype, &length, &by_value);
  const Datum copy = is_null ? Datum{0} : datumCopy(value, by_value, length);
  return as<Node>(makeConst(param->paramtype, param->paramtypmod, param->paramcollid, length, copy,
                            is_null, by_value));
}

Node* given_value(const Param* param, ParamListInfo parameters) {
  if (parameters == nullptr || param->paramid < 1 || param->paramid > parameters->numParams) {
    return nullptr;
  }
  ParamExternData room;
  const ParamExternData* data =
      parameters->paramFetch ? parameters->paramFetch(parameters, param->paramid, false, &room)
                             : &parameters->params[param->paramid - 1];
  if (data->ptype != param->paramtype) return nullptr;
  return constant_of(param, data->value, data->isnull);
}

}  // namespace idp
