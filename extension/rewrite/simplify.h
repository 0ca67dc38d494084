// What tools write in a roundabout way, brought to the plain form that means the same, so that
// fewer forms have to be known to what comes after: key spaces, bounds of rows, the check of
// inputs.
//
//   OFFSET 0, LIMIT ALL                         nothing
//   count(*) FROM (SELECT … LIMIT 1000)         LEAST(count(*), 1000) FROM (SELECT …)
//   HAVING true, GROUP BY (), without keys      one row, of no table
//   day > (SELECT max(day) …) - 30              day > ANY (SELECT max(day) - 30 …)
//   age(born), concat(a, b)                     age(current_date, born), a || b
//   count(DISTINCT CASE WHEN c THEN x END)      count(DISTINCT x) FILTER (WHERE c)
//   day <@ daterange(first, next)               day >= first AND day < next
//   region = (SELECT id … WHERE name = 'north')   region = ANY (SELECT id …), of public tables
//   (SELECT count(*) … WHERE customer = c.id)   a join with counts by customer
//   regions LEFT JOIN LATERAL (SELECT count(*) …)   such a subquery in SELECT
//   row_number() OVER (… ORDER BY day)          … ORDER BY day, id
//   (SELECT id FROM orders OFFSET $1)           (… WHERE idp.skips_nothing($1))
//   WITH x AS (…) SELECT … FROM x               SELECT … FROM (…) x
//   WHERE at > (SELECT now() - '7 days')        WHERE at > now() - '7 days'
//   orders LEFT JOIN customers                  orders JOIN customers, where a foreign key finds
//   orders FULL JOIN customers                  orders RIGHT JOIN customers, likewise
//   x = y OR x IS NULL AND y IS NULL            x = y, where one is never NULL
//   CASE WHEN EXISTS (SELECT …) THEN …          CASE WHEN (SELECT count(*) …) > 0 THEN …
//   orders LEFT JOIN (SELECT id, region FROM customers)   orders LEFT JOIN customers
//   one id NOT IN (SELECT customer FROM orders)     NOT EXISTS (…), where no side may be NULL
//   SELECT count(*) FROM (SELECT k, sum(x) …)   without sum(x), which nobody reads
//   count(DISTINCT o.id)                        count(*), where no join repeats a row of orders
//   count(*) FROM (SELECT DISTINCT id …)        without DISTINCT, likewise
//   sum(DISTINCT x + hash(id)) - sum(DISTINCT hash(id))   sum(x), likewise
//   (SELECT DISTINCT c.segment, o.id …) k JOIN orders o ON o.id = k.id     the rows of orders once
//   SELECT DISTINCT k, count(*) OVER (PARTITION BY k)   SELECT k, count(*) … GROUP BY k
//   id NOT IN (SELECT min(id) … GROUP BY customer)  id IS DISTINCT FROM (SELECT min(id) …)
//   SELECT customer … INTERSECT SELECT customer …   SELECT DISTINCT customer … WHERE EXISTS (…)
//   SELECT r.name … GROUP BY r.id               GROUP BY r.id, r.name, where r.id is the key
//   WHERE k IN (SELECT k … LIMIT 5)             the same of the answers, where k is a key of groups
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// Changes a statement that reads hidden rows, and the queries in it.
void simplify(Query* query);

// HAVING without GROUP BY and aggregates is a condition of one row, made of no table. Of all
// queries, also beside private aggregates that somebody wrote.
void read_nothing_for_single_groups(Query* query);

// --- its parts: each changes one level ---

// CTEs that are read once become the subqueries that the planner would make of them, and those that
// are read more than once if they give rows, of tables or of units, and no answers.
void inline_ctes(Query* query);

// Outer joins that find a row each, by a foreign key or as WHERE says; NOT IN; IS NOT DISTINCT
// FROM; IS NULL of what is never NULL.
void simplify_joins(const QueryLevel& level);

// Conditions on keys of the level's groups that ask for other answers: they are asked of the
// groups. Whether the level reads other queries now that are still to be simplified.
bool lift_conditions(const QueryLevel& level);

}  // namespace idp
