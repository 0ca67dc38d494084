#include "extension/distribute/remote_query.h"

#include <algorithm>

#include "extension/pg/citus_catalog.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/parameters.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/gate.h"
#include "extension/plan/key_rows.h"
#include "extension/types/types.h"

extern "C" {
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/heap.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- which columns ---

[[noreturn]] void refuse_system_column(Relation table, AttrNumber number) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("column %s of table \"%s\", whose rows lie in other servers, is not known",
                         NameStr(SystemAttributeDefinition(number)->attname),
                         RelationGetRelationName(table)),
                  errdetail("Each server has its own."), errhint("Leave it out.")));
  pg_unreachable();
}

// Whether Citus moves its values in binary form, which no setting of a session changes.
bool travels_in_binary(Oid type) {
  const Oid base = getBaseType(type);
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(base));
  if (!HeapTupleIsValid(tuple)) return false;
  const auto* row = reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
  const bool is_known = row->typtype == TYPTYPE_ENUM ||
                        (base < FirstNormalObjectId && row->typtype != TYPTYPE_COMPOSITE &&
                         row->typtype != TYPTYPE_PSEUDO);
  const bool has_form = OidIsValid(row->typsend) && OidIsValid(row->typreceive);
  ReleaseSysCache(tuple);
  return is_known && has_form;
}

// What a value travels by runs no function of others, and writes it in one way.
void require_plain_values(Relation table, const Form_pg_attribute column, bool is_distributed) {
  const bool is_checked =
      get_typtype(column->atttypid) == TYPTYPE_DOMAIN && DomainHasConstraints(column->atttypid);
  const bool is_text = is_distributed && !travels_in_binary(column->atttypid);
  if (!is_checked && !is_text) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
       errmsg("column %s of table \"%s\", whose rows lie in other servers, is of type %s, which "
              "private answers cannot read there",
              NameStr(column->attname), RelationGetRelationName(table),
              format_type_be(column->atttypid)),
       is_checked ? errdetail("Functions of others would see its values as they come.")
                  : errdetail("Its values travel as text, which depends on settings."),
       errhint("Leave it out.")));
}

List* columns_of(const Scan* scan, List* rest, Relation table) {
  Bitmapset* numbers = nullptr;
  pull_varattnos(as<Node>(scan->plan.targetlist), scan->scanrelid, &numbers);
  pull_varattnos(as<Node>(rest), scan->scanrelid, &numbers);
  const bool takes_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, numbers);
  const bool is_distributed = is_citus_table(RelationGetRelid(table));
  List* columns = NIL;
  for (int i = FirstLowInvalidHeapAttributeNumber + 1; i < 0; ++i) {
    if (bms_is_member(i - FirstLowInvalidHeapAttributeNumber, numbers)) {
      refuse_system_column(table, static_cast<AttrNumber>(i));
    }
  }
  for (int i = 1; i <= RelationGetNumberOfAttributes(table); ++i) {
    if (TupleDescAttr(RelationGetDescr(table), i - 1)->attisdropped) continue;
    if (takes_row || bms_is_member(i - FirstLowInvalidHeapAttributeNumber, numbers)) {
      columns = lappend_int(columns, i);
      require_plain_values(table, TupleDescAttr(RelationGetDescr(table), i - 1), is_distributed);
    }
  }
  return columns;
}

// Equal values are one and the same, so that one may stand for all.
bool can_be_counted(Relation table, const List* columns) {
  for (const int number : ints(columns)) {
    const auto* column = TupleDescAttr(RelationGetDescr(table), number - 1);
    if (!has_exact_equality(column->atttypid, column->atttypmod, column->attcollation))
      return false;
  }
  return true;
}

// --- which conditions ---

enum class Kind { kNone, kInteger, kText, kOther };

// Types whose values each server compares alike, without fail.
Kind kind_of(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return Kind::kInteger;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
      return Kind::kText;
    case BOOLOID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case DATEOID:
    case TIMEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case UUIDOID:
      return Kind::kOther;
    default:
      return Kind::kNone;
  }
}

enum class Comparison { kNone, kEquality, kOrder };

// By the order that the type has by itself.
Comparison comparison_of(Oid op, Oid type) {
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const int strategy = get_op_opfamily_strategy(op, family);
  if (strategy == BTEqualStrategyNumber) return Comparison::kEquality;
  if (strategy != 0) return Comparison::kOrder;
  const Oid negator = get_negator(op);
  const bool is_unequal =
      OidIsValid(negator) && get_op_opfamily_strategy(negator, family) == BTEqualStrategyNumber;
  return is_unequal ? Comparison::kEquality : Comparison::kNone;
}

// The order of texts is that of a server's locale; which are equal is not.
bool decides_alike(Oid op, Oid collation) {
  if (op >= FirstNormalObjectId) return false;
  Oid left = InvalidOid;
  Oid right = InvalidOid;
  op_input_types(op, &left, &right);
  const Kind kind = kind_of(left);
  if (kind == Kind::kNone || kind != kind_of(right)) return false;
  if (kind != Kind::kInteger && left != right) return false;
  const Comparison comparison = comparison_of(op, left);
  if (kind != Kind::kText) return comparison != Comparison::kNone;
  return comparison == Comparison::kEquality && get_collation_isdeterministic(collation);
}

bool is_simple_value(const Node* node) {
  const Node* value = without_relabels(const_cast<Node*>(node));
  if (const auto* column = maybe<Var>(value)) return column->varattno > 0;
  return IsA(value, Const);
}

// NULL within is read by another setting there.
bool is_list_of_values(const Node* node) {
  const auto* array = maybe<Const>(node);
  return array != nullptr &&
         (array->constisnull || !array_contains_nulls(DatumGetArrayTypeP(array->constvalue)));
}

bool can_be_sent(const Node* condition);

bool can_be_sent(const List* conditions) {
  for (const auto* one : list<Node>(conditions)) {
    if (!can_be_sent(one)) return false;
  }
  return true;
}

bool can_be_sent(const Node* condition) {
  check_stack_depth();
  switch (nodeTag(condition)) {
    case T_BoolExpr:
      return can_be_sent(as<BoolExpr>(condition)->args);
    case T_NullTest: {
      const auto* test = as<NullTest>(condition);
      return !test->argisrow && is_simple_value(as<Node>(test->arg));
    }
    case T_OpExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(condition);
      return list_length(call->args) == 2 &&
             is_simple_value(static_cast<Node*>(linitial(call->args))) &&
             is_simple_value(static_cast<Node*>(lsecond(call->args))) &&
             decides_alike(call->opno, call->inputcollid);
    }
    case T_ScalarArrayOpExpr: {
      const auto* call = as<ScalarArrayOpExpr>(condition);
      return is_list_of_values(static_cast<Node*>(lsecond(call->args))) &&
             is_simple_value(static_cast<Node*>(linitial(call->args))) &&
             decides_alike(call->opno, call->inputcollid);
    }
    default:
      return false;
  }
}

// The values of the statement's parameters in their place.
Node* with_values(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* parameter = maybe<Param>(node);
  if (parameter != nullptr && parameter->paramkind == PARAM_EXTERN) {
    Node* value = given_value(parameter, static_cast<ParamListInfo>(context));
    return value == nullptr ? node : value;
  }
  return map_expression(node, with_values, context);
}

// That a row has a key of a domain by which rows are put together: few have none.
bool is_of_keys(const Node* condition) {
  const auto* test = maybe<ScalarArrayOpExpr>(condition);
  return test != nullptr && test->location == kKeyCondition;
}

// Divides the conditions into those that are sent and the others.
void divide(const Scan* scan, ParamListInfo parameters, List*& sent, List*& rest) {
  for (auto* condition : list<Node>(conditions_besides_gates(&scan->plan))) {
    Node* filled = with_values(static_cast<Node*>(copyObjectImpl(condition)), parameters);
    if (is_of_keys(condition) || !can_be_sent(filled)) {
      rest = lappend(rest, condition);
      continue;
    }
    ChangeVarNodes(filled, static_cast<int>(scan->scanrelid), 1, 0);
    sent = lappend(sent, filled);
  }
}

// --- the text ---

const char* name_of(Relation table, int column) {
  return quote_identifier(NameStr(TupleDescAttr(RelationGetDescr(table), column - 1)->attname));
}

void append_names(StringInfo text, Relation table, const List* columns) {
  const char* separator = "";
  for (const int number : ints(columns)) {
    appendStringInfo(text, "%s%s", separator, name_of(table, number));
    separator = ", ";
  }
}

char* from_of(Relation table) {
  const bool has_heirs = table->rd_rel->relkind == RELKIND_FOREIGN_TABLE;
  return psprintf("%s%s", has_heirs ? "ONLY " : "",
                  quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                             RelationGetRelationName(table)));
}

char* condition_of(Relation table, List* sent) {
  if (sent == NIL) return nullptr;
  List* names = deparse_context_for(RelationGetRelationName(table), RelationGetRelid(table));
  return deparse_expression(as<Node>(make_ands_explicit(sent)), names, false, false);
}

// --- sums ---

List* columns_of_sums(const List* sums) {
  List* columns = NIL;
  for (const auto* sum : list<RemoteSum>(sums)) {
    columns = list_append_unique_int(columns, sum->column);
  }
  return columns;
}

// The least of the bounds below, if the type has it.
Datum stand_in(int column, const List* sums) {
  const RemoteSum* least = nullptr;
  for (const auto* sum : list<RemoteSum>(sums)) {
    if (sum->column != column) continue;
    if (least == nullptr || sum->lower < least->lower) least = sum;
  }
  const auto first = static_cast<Key64>(least->grid.min_units());
  const auto last = static_cast<Key64>(least->grid.max_units());
  return datum_of_key(least->grid, std::clamp(least->lower, first, last));
}

List* summed_values(Relation table, const List* columns, const List* sums) {
  List* all = NIL;
  for (const int number : ints(columns)) {
    const auto* row = TupleDescAttr(RelationGetDescr(table), number - 1);
    auto* values = static_cast<SummedValues*>(palloc0(sizeof(SummedValues)));
    values->column = number;
    const bool may_have_none = !row->attnotnull || row->atttypid == NUMERICOID;
    values->is_counted_by_sums = may_have_none;
    for (const auto* sum : list<RemoteSum>(sums)) {
      if (sum->column != number) continue;
      values->has_ends |= sum->has_ends;
      values->is_counted_by_sums &= can_count(*sum);
    }
    values->is_counted = may_have_none && !values->is_counted_by_sums;
    if (!values->has_ends) values->stand_in = stand_in(number, sums);
    all = lappend(all, values);
  }
  return all;
}

void append_sums(StringInfo text, Relation table, const List* summed, const List* sums) {
  const auto append = [&](const char* aggregate, int column) {
    const Oid type = TupleDescAttr(RelationGetDescr(table), column - 1)->atttypid;
    const char* name = name_of(table, column);
    appendStringInfo(text, ", pg_catalog.%s(%s)", aggregate, name);
    if (type == NUMERICOID) appendStringInfo(text, " FILTER (WHERE %s <> 'NaN'::numeric)", name);
  };
  const auto tells_count = [&](const RemoteSum* sum) {
    for (const auto* values : list<SummedValues>(summed)) {
      if (values->column == sum->column) return values->is_counted_by_sums;
    }
    return false;
  };
  for (const auto* values : list<SummedValues>(summed)) {
    if (values->is_counted) append("count", values->column);
    if (!values->has_ends) continue;
    append("min", values->column);
    append("max", values->column);
  }
  for (const auto* sum : list<RemoteSum>(sums)) {
    appendStringInfo(text, ", %s", bounded_sum(table, *sum, tells_count(sum)));
  }
}

}  // namespace

RemoteQuery remote_query(const Scan* scan, Relation table, ParamListInfo parameters, List* sums) {
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  List* summed_columns = columns_of_sums(sums);
  List* summed = summed_values(table, summed_columns, sums);
  List* columns = list_difference_int(columns_of(scan, rest, table), summed_columns);
  const bool is_same_again = !contain_volatile_functions(as<Node>(rest));
  const bool has_counts = is_same_again && can_be_counted(table, columns);
  const char* separator = columns != NIL && has_counts ? ", " : "";
  PlainOutput plain;
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT ");
  append_names(&text, table, columns);
  if (has_counts) appendStringInfo(&text, "%spg_catalog.count(*)", separator);
  append_sums(&text, table, summed, sums);
  char* from = from_of(table);
  char* condition = condition_of(table, sent);
  appendStringInfo(&text, " FROM %s", from);
  if (condition != nullptr) appendStringInfo(&text, " WHERE %s", condition);
  if (has_counts && columns != NIL) {
    appendStringInfoString(&text, " GROUP BY ");
    append_names(&text, table, columns);
  }
  plain.end();
  return {text.data, from, condition, columns, has_counts, summed, rest};
}

// The type of a column of Citus is that of its shards. What a foreign table has is what it says.
bool can_be_summed(const Scan* scan, Relation table, ParamListInfo parameters, int column) {
  if (column <= 0 || !is_citus_table(RelationGetRelid(table))) return false;
  const auto* row = TupleDescAttr(RelationGetDescr(table), column - 1);
  const bool is_known = is_whole_number(row->atttypid) ||
                        (row->atttypid == NUMERICOID &&
                         has_exact_equality(row->atttypid, row->atttypmod, row->attcollation));
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  Bitmapset* named = nullptr;
  pull_varattnos(as<Node>(rest), scan->scanrelid, &named);
  const bool takes_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, named);
  if (!is_known || takes_row || contain_volatile_functions(as<Node>(rest))) return false;
  if (bms_is_member(column - FirstLowInvalidHeapAttributeNumber, named)) return false;
  List* others = list_difference_int(columns_of(scan, rest, table), list_make1_int(column));
  return can_be_counted(table, others);
}

RemoteQuery remote_groups(const Scan* scan, Relation table, ParamListInfo parameters,
                          const RemoteGroups& groups) {
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  (void)columns_of(scan, rest, table);
  PlainOutput plain;
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT ");
  append_names(&text, table, groups.keys);
  for (const auto* call : list<RemoteCall>(groups.calls)) {
    appendStringInfo(&text, ", pg_catalog.%s(%s)", get_func_name(call->function),
                     call->column == 0 ? "*" : name_of(table, call->column));
  }
  char* from = from_of(table);
  char* condition = condition_of(table, sent);
  appendStringInfo(&text, " FROM %s", from);
  if (condition != nullptr) appendStringInfo(&text, " WHERE %s", condition);
  appendStringInfoString(&text, " GROUP BY ");
  append_names(&text, table, groups.keys);
  plain.end();
  return {text.data, from, condition, groups.keys, false, NIL, rest};
}

// A condition that is left may name keys alone, and its value is the same for each row of a group.
// Which sums there are follows from types, and those of a foreign table are what it says.
bool can_be_grouped(const Scan* scan, Relation table, ParamListInfo parameters,
                    const RemoteGroups& groups) {
  if (!is_citus_table(RelationGetRelid(table))) return false;
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  if (contain_volatile_functions(as<Node>(rest)) || contain_subplans(as<Node>(rest))) return false;
  Bitmapset* named = nullptr;
  pull_varattnos(as<Node>(rest), scan->scanrelid, &named);
  Bitmapset* keys = nullptr;
  for (const int key : ints(groups.keys)) {
    keys = bms_add_member(keys, key - FirstLowInvalidHeapAttributeNumber);
  }
  List* columns = list_copy(groups.keys);
  for (const auto* call : list<RemoteCall>(groups.calls)) {
    if (call->column > 0) columns = list_append_unique_int(columns, call->column);
  }
  return bms_is_subset(named, keys) && can_be_counted(table, columns);
}

}  // namespace idp
