#include "extension/rewrite/inner_joins.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "parser/parsetree.h"
}

namespace idp {

void make_inner_where(Query* query, bool (*has_rows_of_inner)(const Query*, const JoinExpr*)) {
  const auto find = [&](const auto& self, Node* from) -> JoinExpr* {
    check_stack_depth();
    if (from == nullptr || IsA(from, RangeTblRef)) return nullptr;
    if (IsA(from, JoinExpr)) {
      auto* join = as<JoinExpr>(from);
      if (has_rows_of_inner(query, join)) return join;
      JoinExpr* found = self(self, join->larg);
      return found != nullptr ? found : self(self, join->rarg);
    }
    for (auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
      if (JoinExpr* found = self(self, part)) return found;
    }
    return nullptr;
  };
  while (JoinExpr* join = find(find, as<Node>(query->jointree))) {
    join->jointype = JOIN_INNER;
    if (join->rtindex == 0) continue;
    rt_fetch(join->rtindex, query->rtable)->jointype = JOIN_INNER;
    forget_nulls_of(query, join->rtindex);
  }
}

}  // namespace idp
