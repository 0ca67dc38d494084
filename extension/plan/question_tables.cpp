#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/question_writer.h"
#include "extension/plan/ways.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "rewrite/rewriteManip.h"
}

namespace idp::recorder {

namespace {

// Whether a query's columns are no part of what it asks for: rows of one table, or some of them.
bool is_selection(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == nullptr &&
         (query->distinctClause == NIL || query->hasDistinctOn) && query->groupClause == NIL &&
         !query->hasAggs && query->havingQual == nullptr && !query->hasTargetSRFs &&
         list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

}  // namespace

const char* passed_column(const Query* query, const TargetEntry* target) {
  if (!is_selection(query) || !IsA(target->expr, Var)) return nullptr;
  const auto* var = as<Var>(target->expr);
  if (var->varlevelsup > 0 || var->varattno <= 0) return nullptr;
  const auto* entry = rt_fetch(var->varno, query->rtable);
  if (entry->rtekind == RTE_SUBQUERY) {
    const auto* within = column_shown(entry->subquery->targetList, var->varattno);
    return within ? passed_column(entry->subquery, within) : nullptr;
  }
  return entry->rtekind == RTE_RELATION ? column_name(entry->relid, var->varattno) : nullptr;
}

namespace {

// The name of a passed column. Others are called c and a number, so one whose own name is of that
// form, and maybe blanks, gets one more.
char* name_apart(const char* name) {
  const size_t digits = name[0] == 'c' ? strspn(name + 1, "0123456789") : 0;
  const bool is_like_others =
      digits > 0 && name[1 + digits + strspn(name + 1 + digits, " ")] == '\0';
  return is_like_others ? psprintf("%s ", name) : pstrdup(name);
}

// Gives the columns of a query within the names of what they are.
void name_columns(Level& level, Index number, const Query* query) {
  auto* entry = static_cast<RangeTblEntry*>(list_nth(level.tables, static_cast<int>(number) - 1));
  ListCell* name;
  ListCell* cell;
  forboth(name, entry->eref->colnames, cell, query->targetList) {
    const char* column = passed_column(query, static_cast<TargetEntry*>(lfirst(cell)));
    if (column != nullptr) lfirst(name) = makeString(name_apart(column));
  }
}

const Query* query_above(const Level& level, Index levels) {
  const Level* at = &level;
  while (levels > 0 && at->outer != nullptr) {
    at = at->outer;
    --levels;
  }
  const PlannerInfo* root = at->root;
  while (levels > 0 && root != nullptr) {
    root = root->parent_root;
    --levels;
  }
  return levels == 0 && root != nullptr ? root->parse : levels == 0 ? at->query : nullptr;
}

// What it reads from further out is said of the level that has it in its WITH. It is written within
// this one, from which these are as many levels more away.
Query* body_of(const CommonTableExpr* cte, Index levels) {
  auto* body = as<Query>(cte->ctequery);
  if (levels == 0) return body;
  body = static_cast<Query*>(copyObjectImpl(body));
  IncrementVarSublevelsUp(as<Node>(body), static_cast<int>(levels), 1);
  return body;
}

void write_cte(Level& level, Index number, const RangeTblEntry* entry) {
  const Query* query = query_above(level, entry->ctelevelsup);
  for (const auto* cte : list<CommonTableExpr>(query ? query->cteList : NIL)) {
    if (strcmp(cte->ctename, entry->ctename) != 0) continue;
    CHECK_FOR_INTERRUPTS();
    if (++level.whole->ways > kMostWays) refuse_many_ways();
    Query* body = body_of(cte, entry->ctelevelsup);
    level.items = lappend(level.items, describe({body}, Columns::kByName, level));
    return name_columns(level, number, body);
  }
  level.whole->is_known = false;
}

void write_relation(Level& level, Index number, const RangeTblEntry* entry) {
  const char* relation = get_rel_name(entry->relid);
  const bool temporary = get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP;
  if (!entry->inh && has_subclass(entry->relid)) write(level, "ONLY ");
  write(level,
        temporary ? quote_qualified_identifier("pg_temp", relation) : qualified_name(entry->relid));
  const char* name = give_name(level, number, relation);
  if (strcmp(name, relation) != 0) write(level, psprintf(" %s", name));
  if (entry->tablesample != nullptr) {
    write(level, psprintf(" TABLESAMPLE %s", get_func_name(entry->tablesample->tsmhandler)));
    write_expressions(level, " ", entry->tablesample->args);
    if (entry->tablesample->repeatable) {
      write(level, " REPEATABLE ");
      write_expression(level, node_of(entry->tablesample->repeatable));
    }
  }
}

void write_table(Level& level, Index number, Columns columns, List** conditions);

// A query planned already that is UNION ALL has become one of its arms, with the others behind it.
void write_arms(Level& level, Index number, const RangeTblEntry* first) {
  if (level.root == nullptr || first->subquery->setOperations) return;
  for (const auto* arm : list<AppendRelInfo>(level.root->append_rel_list)) {
    if (arm->parent_relid != number) continue;
    List* conditions = NIL;
    write(level, " UNION ALL ");
    write_table(level, arm->child_relid, Columns::kByPlace, &conditions);
    write_conditions(level, " WHERE ", conditions);
  }
}

void write_table(Level& level, Index number, Columns columns, List** conditions) {
  const auto* entry = rt_fetch(number, level.query->rtable);
  collect_conditions(node_of(entry->securityQuals), level, conditions);
  ListCell* cell;
  switch (entry->rtekind) {
    case RTE_RELATION:
      return write_relation(level, number, entry);
    case RTE_SUBQUERY:
      level.items = lappend(level.items, describe({entry->subquery}, columns, level));
      if (columns == Columns::kByName) name_columns(level, number, entry->subquery);
      if (entry->inh) write_arms(level, number, entry);
      break;
    case RTE_FUNCTION:
      for (auto* each : list<RangeTblFunction>(entry->functions)) {
        write_expressions(level, "function ", list_make1(each->funcexpr));
      }
      if (entry->funcordinality) write(level, " WITH ORDINALITY");
      break;
    case RTE_TABLEFUNC: {
      const TableFunc* function = entry->tablefunc;
      write_expressions(level, "TABLE ", list_make2(function->docexpr, function->rowexpr));
      write_expressions(level, " NAMESPACES ", function->ns_uris);
      write_expressions(level, " COLUMNS ", function->colexprs);
      write_expressions(level, " DEFAULT ", function->coldefexprs);
      break;
    }
    case RTE_VALUES:
      foreach (cell, entry->values_lists) {
        write_expressions(level, foreach_current_index(cell) ? " | " : "VALUES ",
                          static_cast<List*>(lfirst(cell)));
      }
      break;
    case RTE_CTE:
      if (entry->self_reference) {
        write(level, "recursion");
      } else {
        write_cte(level, number, entry);
      }
      break;
    case RTE_NAMEDTUPLESTORE:
      write(level, entry->enrname);
      break;
    default:
      return write(level, "no table");
  }
  write(level, psprintf(" %s", give_name(level, number, "r")));
}

const char* words_of(JoinType type) {
  switch (type) {
    case JOIN_LEFT:
      return " LEFT JOIN ";
    case JOIN_RIGHT:
      return " RIGHT JOIN ";
    case JOIN_FULL:
      return " FULL JOIN ";
    case JOIN_SEMI:
      return " SEMI JOIN ";
    case JOIN_ANTI:
      return " ANTI JOIN ";
    default:
      return " JOIN ";
  }
}

void write_side(Level& level, Node* side) {
  List* conditions = NIL;
  write(level, "(");
  write_from(level, side, &conditions);
  write_conditions(level, " WHERE ", conditions);
  write(level, ")");
}

}  // namespace

void write_from(Level& level, Node* from, List** conditions) {
  switch (nodeTag(from)) {
    case T_RangeTblRef:
      return write_table(level, static_cast<Index>(as<RangeTblRef>(from)->rtindex),
                         Columns::kByName, conditions);
    case T_FromExpr: {
      const auto* expr = as<FromExpr>(from);
      ListCell* cell;
      foreach (cell, expr->fromlist) {
        if (foreach_current_index(cell)) write(level, ", ");
        write_from(level, static_cast<Node*>(lfirst(cell)), conditions);
      }
      return collect_conditions(expr->quals, level, conditions);
    }
    default:
      break;
  }
  const auto* join = as<JoinExpr>(from);
  if (join->jointype == JOIN_INNER) {
    write_from(level, join->larg, conditions);
    write(level, ", ");
    write_from(level, join->rarg, conditions);
    collect_conditions(join->quals, level, conditions);
  } else {
    List* on = NIL;
    write_side(level, join->larg);
    write(level, words_of(join->jointype));
    write_side(level, join->rarg);
    collect_conditions(join->quals, level, &on);
    write_conditions(level, " ON ", on);
  }
  if (join->rtindex > 0) (void)give_name(level, static_cast<Index>(join->rtindex), "j");
}

void write_set_operation(Level& level, Node* node) {
  if (IsA(node, RangeTblRef)) {
    List* none = NIL;
    return write_table(level, static_cast<Index>(as<RangeTblRef>(node)->rtindex), Columns::kByPlace,
                       &none);
  }
  const auto* operation = as<SetOperationStmt>(node);
  write(level, "(");
  write_set_operation(level, operation->larg);
  const char* words = operation->op == SETOP_UNION       ? "UNION"
                      : operation->op == SETOP_INTERSECT ? "INTERSECT"
                                                         : "EXCEPT";
  write(level, psprintf(") %s%s (", words, operation->all ? " ALL" : ""));
  write_set_operation(level, operation->rarg);
  write(level, ")");
}

}  // namespace idp::recorder
