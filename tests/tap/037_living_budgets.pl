# Budgets that live: one for each partition, and one for each period of the calendar. Time passes here
# as the ledger has it: what moves all its dates back by a month is a month later.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('living', "session_preload_libraries = 'idp'", 'jit = off', 'max_connections = 40',
	"timezone = 'Asia/Tokyo'");
my $s = session($node);

# 36 months of orders, of which no answer hides a partition: dp_count(epsilon) at 1000 would be exact.
my $months = "generate_series(timestamp '2023-01-01', '2025-12-01', '1 month') m";
sub make_orders
{
	my ($name, $more) = @_;
	$s->value(<<SQL);
CREATE TABLE $name (id int, at date NOT NULL, amount int) PARTITION BY RANGE (at);
SELECT format('CREATE TABLE ${name}_%s PARTITION OF $name FOR VALUES FROM (%L) TO (%L)', to_char(m, 'YYYY_MM'), m::date,
  (m + interval '1 month')::date) FROM $months \\gexec
INSERT INTO $name SELECT i, date '2023-01-01' + i % 1096, i FROM generate_series(1, 4000) i;
ANALYZE $name;
SQL
	$s->value("SELECT idp.protect('$name', $more)");
}
make_orders('orders', "1000, 'add_remove', rows => 'visible', per => 'partition'");

# What each partition, and the table itself, was charged by work, as "2023_01:1".
sub charged
{
	my ($work) = @_;
	my $sum = "SELECT a.id, a.name, sum(c.epsilon) AS spent FROM idp.charge c JOIN idp.account a ON a.id = c.account "
	  . "GROUP BY a.id, a.name";
	$s->value("DROP TABLE IF EXISTS before; CREATE TEMP TABLE before AS $sum");
	ref $work ? $work->() : $s->value($work);
	return $s->value("SELECT coalesce(string_agg(regexp_replace(s.name, '^public[.]orders_?', "
		  . "'') || ':' || trim_scale(s.spent - coalesce(b.spent, 0)), ' ' ORDER BY s.name), 'nothing') "
		  . "FROM ($sum) s LEFT JOIN before b USING (id) WHERE s.spent <> coalesce(b.spent, 0)");
}
my $all = $s->value("SELECT string_agg(to_char(m, 'YYYY_MM') || ':1', ' ') FROM $months");
my $year = $s->value("SELECT string_agg(to_char(m, 'YYYY_MM') || ':1', ' ') FROM $months "
	  . "WHERE m >= '2024-01-01' AND m < '2025-01-01'");

# --- Pruning decides what is charged --------------------------------------------------------------

foreach my $case (
	[ 'all of them', 'SELECT dp_count(1) FROM orders', $all ],
	[ 'one, by name', 'SELECT dp_count(1) FROM orders_2024_02', '2024_02:1' ],
	[ 'one, by constants', "SELECT dp_count(1) FROM orders WHERE at = '2024-02-29'", '2024_02:1' ],
	[ 'two, by constants',
		"SELECT dp_sum(amount, 1, 0, 100) FROM orders WHERE at BETWEEN '2023-12-31' AND '2024-01-01'",
		'2023_12:1 2024_01:1' ],
	[ 'a year', "SELECT dp_count(1) FROM orders WHERE at >= '2024-01-01' AND at < '2025-01-01'", $year ],
	[ 'none', "SELECT dp_count(1) FROM orders WHERE at = '1999-01-01'", 'nothing' ],
	[ 'a condition on another column', 'SELECT dp_count(1) FROM orders WHERE id = 7', $all ],
	[ 'a subquery, a CTE', "WITH o AS (SELECT * FROM orders WHERE at < '2023-02-01') SELECT (SELECT dp_count(1) "
		  . "FROM o), (SELECT dp_count(2) FROM (SELECT * FROM orders WHERE at > '2025-12-01') p)",
		'2023_01:1 2025_12:2' ],
	[ 'a stable function', "SET my.day = '2023-05-05'; SELECT dp_count(1) FROM orders "
		  . "WHERE at = current_setting('my.day')::date", '2023_05:1' ],
	[ 'GROUP BY', "SELECT date_trunc('month', at), dp_count(1) FROM orders WHERE at < '2023-03-01' GROUP BY 1",
		'2023_01:1 2023_02:1' ],
	[ 'partition by partition', "SET enable_partitionwise_aggregate = on; SELECT at, dp_count(1) FROM orders "
		  . "WHERE at < '2023-03-01' GROUP BY 1; RESET enable_partitionwise_aggregate", '2023_01:1 2023_02:1' ],
	[ 'EXPLAIN', 'EXPLAIN SELECT dp_count(1) FROM orders', 'nothing' ],)
{
	my ($name, $sql, $expected) = @$case;
	is(charged($sql), $expected, "pruning: $name");
}
foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	$s->value("SET plan_cache_mode = $mode; PREPARE q(date) AS SELECT dp_count(1) FROM orders "
		  . "WHERE at >= \$1 AND at < \$1 + 31");
	is(charged("EXECUTE q('2023-08-01')"), '2023_08:1', "parameters, $mode: one month");
	is(charged("EXECUTE q('2023-08-15')"), '2023_08:1 2023_09:1', "parameters, $mode: two months");
	is(charged("EXECUTE q('2099-08-15')"), 'nothing', "parameters, $mode: none");
	$s->value('DEALLOCATE q');
}
like($s->value("PREPARE q(date) AS SELECT dp_count(1) FROM orders WHERE at = \$1; EXPLAIN EXECUTE q('2023-08-01')"),
	qr/Subplans Removed: 35/,
	'the generic plan leaves it to the executor');
$s->value('RESET plan_cache_mode; DEALLOCATE q');
is(charged("SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
		  . "SET min_parallel_table_scan_size = 0; "
		  . "SELECT dp_count(1) FROM orders WHERE at < '2023-03-01'; RESET $force_parallel; RESET parallel_setup_cost; "
		  . "RESET parallel_tuple_cost; RESET min_parallel_table_scan_size"),
	'2023_01:1 2023_02:1', 'parallel workers');
is($s->run("SELECT (SELECT dp_count(1) FROM orders o WHERE o.at = d.d) "
	  . "FROM (VALUES (date '2023-08-01'), ('2023-09-01')) d (d)")->{sqlstate}, '0A000',
	'partitions that are chosen for each row of another query: refused');

# Under substitution a record can leave one partition for another: each answer costs as one with groups.
$s->value("SELECT idp.protect('orders', 1000, 'substitute')");
is(charged("SELECT dp_count(1) FROM orders WHERE at = '2023-01-01'"), '2023_01:2', 'substitution: twice');
is(charged("SELECT at, dp_count(1) FROM orders WHERE at < '2023-02-01' GROUP BY 1"), '2023_01:2',
	'substitution: with groups as well');
is(charged(q{SELECT count(*) FROM idp.synthesize('orders', '{"amount": [1, 2]}', 1, 10)}), $all,
	'synthetic rows are of all partitions, and noisy enough for a row that moves');
$s->value("SELECT idp.protect('orders', 1000, 'add_remove')");

# Names: refining charges the partitions that were read.
is(charged("SELECT dp_count(0.5, 'spring') FROM orders WHERE at >= '2024-03-01' AND at < '2024-05-01'"),
	'2024_03:0.5 2024_04:0.5', 'a named release');
is(charged("SELECT dp_count(0.5, 'spring') FROM orders WHERE at >= '2024-03-01' AND at < '2024-05-01'"), 'nothing',
	'a named release, repeated');
is(charged("SELECT idp.relax('spring', 2)"), '2024_03:1.5 2024_04:1.5', 'a named release, refined');

# --- Budgets of partitions ------------------------------------------------------------------------

sub budget
{
	my ($table) = @_;
	return $s->value("SELECT string_agg(concat_ws(' ', trim_scale(total), trim_scale(spent), coalesce(partition_of, "
		  . "'-')), ', ' ORDER BY partition_of) FROM idp.protection WHERE active AND table_name = '$table'");
}

make_orders('few', "3, 'add_remove', rows => 'visible', per => 'partition'");
$s->value("SELECT dp_count(2) FROM few WHERE at < '2023-02-01'");
my $r = $s->run('SELECT dp_count(1.5) FROM few');
is($r->{sqlstate}, 'IDP01', 'one budget that does not suffice ends the query');
like($r->{message}, qr/privacy budget of table "few_2023_01" is exhausted/, 'and is named');
is($r->{detail}, 'The query needs 1.5; 1 of 3 remains.', 'with what remains');
is(budget('few_2023_02'), '3 0 few', 'nothing was charged to the others');
$s->value("SELECT dp_count(1.5) FROM few WHERE at >= '2023-02-01'");
is(budget('few_2023_01'), '3 2 few', 'each has its own');
is(budget('few'), '3 0 -', 'the account of the table has the rules, and no charges');

$s->value("CREATE TABLE few_2026_01 PARTITION OF few FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')");
is(budget('few_2026_01'), '3 0 few', 'a new partition comes with a new budget');
$s->value("CREATE TABLE late (LIKE few); INSERT INTO late VALUES (1, '2026-02-02', 1); "
	  . "ALTER TABLE few ATTACH PARTITION late FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')");
is(budget('late'), '3 0 few', 'so does one that is attached');
$s->value("CREATE TABLE deep PARTITION OF few FOR VALUES FROM ('2027-01-01') TO ('2028-01-01') "
	  . "PARTITION BY LIST (amount)");
$s->value("CREATE TABLE deep_1 PARTITION OF deep FOR VALUES IN (1); CREATE TABLE deep_rest PARTITION OF deep DEFAULT");
is(budget('deep_1') . '; ' . budget('deep_rest') . '; ' . (budget('deep') // ''), '3 0 few; 3 0 few; ',
	'partitions of partitions: those that hold rows');
is(charged("SELECT dp_count(1) FROM few WHERE at = '2027-05-05' AND amount = 1"), 'public.deep_1:1',
	'and those that are read are charged');
is($s->run("BEGIN; CREATE TABLE few_2026_05 PARTITION OF few FOR VALUES FROM ('2026-05-01') TO ('2026-06-01'); "
	  . "SELECT dp_count(3) FROM few_2026_05; ROLLBACK")->{sqlstate}, undef, 'a partition that is rolled back');
$s->value("CREATE TABLE few_2026_05 PARTITION OF few FOR VALUES FROM ('2026-05-01') TO ('2026-06-01')");
is(budget('few_2026_05'), '3 0 few', 'and made again is a new one');

# the rules of the table are those of each partition
$s->value("SELECT idp.protect('few', 4, min_epsilon => 0.1)");
is(budget('few_2023_01'), '4 2 few', 'a budget that is raised is raised for each');
is($s->run("SELECT dp_count(0.01) FROM few WHERE at = '2023-01-01'")->{sqlstate}, '22023',
	'min_epsilon holds for each');
$s->value("SELECT idp.protect('few_2023_01', 2.5, rows => 'visible')");
is(budget('few_2023_01'), '4 2 few, 2.5 0 -', 'a partition with a budget of its own besides');
is(charged("SELECT dp_count(1) FROM few WHERE at = '2023-01-01'"), 'public.few_2023_01:1 public.few_2023_01:1',
	'both are charged');
$s->value("SELECT idp.unprotect('few_2023_01')");
is(budget('few_2023_01'), '4 3 few', 'what it has as a partition cannot be ended apart');

# rows that move have been in both
$s->value("UPDATE few SET at = '2023-04-04' WHERE at = '2023-03-03'");
is(charged("SELECT dp_count(1) FROM few WHERE at = '2023-04-04'"), 'public.few_2023_04:1', 'a row counts where it is');

# detached, attached again, dropped, renamed
$s->value('ALTER TABLE few DETACH PARTITION few_2023_01');
is(budget('few_2023_01'), '4 3 few', 'a partition that is detached keeps its account');
is($s->run('SELECT dp_count(2) FROM few_2023_01')->{sqlstate}, 'IDP01', 'and is charged');
$s->value("ALTER TABLE few ATTACH PARTITION few_2023_01 FOR VALUES FROM ('2023-01-01') TO ('2023-02-01')");
is(budget('few_2023_01'), '4 3 few', 'attached again it has the same');
$s->value('ALTER TABLE few_2023_01 RENAME TO first');
is(budget('first'), '4 3 few', 'renamed it has the same');
$s->value('DROP TABLE first');
$s->value("CREATE TABLE first PARTITION OF few FOR VALUES FROM ('2023-01-01') TO ('2023-02-01')");
is(budget('first'), '4 3 few', 'dropped and made again it has the same');
$s->value('ALTER TABLE first RENAME TO other');
is(budget('other'), '4 3 few', 'for good');
$s->value('ALTER TABLE few DETACH PARTITION few_2023_02');
$s->value("SELECT idp.protect('few_2023_02', 5, rows => 'visible')");
is(budget('few_2023_02'), '5 1.5 -', 'protecting a detached one goes on with its account');
$s->value("ALTER TABLE few ATTACH PARTITION few_2023_02 FOR VALUES FROM ('2023-02-01') TO ('2023-03-01')");
is(budget('few_2023_02'), '4 0 few, 5 1.5 -', 'which is charged beside that of the partition, where it is attached');
is(charged("SELECT dp_count(1) FROM few WHERE at = '2023-02-02'"), 'public.few_2023_02:1 public.few_2023_02:1',
	'beside it');
$s->value('ALTER TABLE few DETACH PARTITION few_2023_03');
$s->value("SELECT idp.unprotect('few_2023_03')");
is(charged('SELECT dp_count(1) FROM few_2023_03'), 'nothing', 'a detached one can be unprotected');

# event triggers may be off: what has no budget of its own is charged to the table
$s->value('ALTER EVENT TRIGGER idp_share_with_partitions DISABLE');
$s->value("CREATE TABLE unseen PARTITION OF few FOR VALUES FROM ('2030-01-01') TO ('2030-02-01'); "
	  . "INSERT INTO few VALUES (1, '2030-01-01', 1)");
is(charged("SELECT dp_count(1) FROM few WHERE at = '2030-01-01'"), 'public.few:1',
	'a partition that nobody gave a budget: the table pays');
$s->value('ALTER EVENT TRIGGER idp_share_with_partitions ENABLE ALWAYS');
$s->value("SELECT idp.protect('few', 4)");
is(budget('unseen'), '4 1 few', 'idp.protect gives it one, which has paid as much');

# from one budget to many and back nothing is forgotten
make_orders('turns', "10, 'add_remove', rows => 'visible'");
$s->value("SELECT dp_count(2) FROM turns WHERE at = '2023-01-01'");
$s->value("SELECT idp.protect('turns', 10, per => 'partition')");
is(budget('turns_2025_05'), '10 2 turns', 'what the table has spent, each partition has');
$s->value("SELECT dp_count(3) FROM turns WHERE at = '2025-05-05'; SELECT dp_count(1) FROM turns "
	  . "WHERE at = '2025-06-06'");
$s->value("SELECT idp.protect('turns', 10, per => 'table')");
is(budget('turns') . '; ' . (budget('turns_2025_05') // ''), '10 5 -; ',
	'and the table what the one has that has spent most');
$s->value("SELECT dp_count(1) FROM turns; SELECT idp.protect('turns', 10, per => 'partition')");
is(budget('turns_2025_06'), '10 6 turns', 'once more');
$s->value("BEGIN; SELECT idp.protect('turns', 10, per => 'table'); ROLLBACK");
is(charged("SELECT dp_count(1) FROM turns WHERE at = '2025-06-06'"), 'public.turns_2025_06:1',
	'a change that is rolled back is none');
$s->value("SELECT idp.unprotect('turns')");
is(charged('SELECT dp_count(1) FROM turns'), 'nothing', 'idp.unprotect ends all of them');
is($s->value("SELECT count(*) FROM idp.protection WHERE table_name ~ '^turns' AND active"), 0,
	'as idp.protection shows');

# roles
$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
GRANT SELECT ON few TO analyst;
SELECT idp.limit_role('few', 'analyst', 0.5);
CREATE ROLE owner_of_one LOGIN;
SELECT idp.protect('few', 4, rows => 'hidden');
ALTER TABLE few_2023_07 OWNER TO owner_of_one;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');
$a->value("SELECT dp_count(0.5) FROM few WHERE at = '2023-05-05'; SELECT dp_count(0.5) FROM few "
	  . "WHERE at = '2023-06-06'");
is($a->run("SELECT dp_count(0.5) FROM few WHERE at = '2023-05-05'")->{message},
	'privacy budget of role "analyst" for table "few_2023_05" is exhausted',
	'the limit of a role is for each partition');
is($a->value("SELECT total, trim_scale(spent) FROM idp.budget WHERE table_name = 'few_2023_05'"), '4|2.0' =~ s/[.]0//r,
	'who may read the table sees the budgets of its partitions');
is($a->value("SELECT count(*) FROM idp.ledger WHERE table_name = 'few_2023_05'"), 2, 'and their charges');
is($a->run("SELECT at FROM few WHERE at = '2023-05-05'")->{sqlstate}, '42501', 'rows of partitions are hidden');
$s->value('CREATE ROLE keeper LOGIN; GRANT ALL ON SCHEMA public TO keeper; ALTER TABLE few OWNER TO keeper');
$s->value('SET ROLE keeper');
is($s->value("SELECT count(*) > 0 FROM few WHERE at >= '2023-07-01' AND at < '2023-08-01'"), 't',
	'not from the owner of the table, whoever owns the partition');
$s->value('RESET ROLE');
$s->value('ALTER TABLE few DETACH PARTITION few_2023_05; GRANT SELECT ON few_2023_05 TO analyst');
is($a->run('SELECT * FROM few_2023_05')->{sqlstate}, '42501', 'nor do those of one that is detached show');

# --- Periods --------------------------------------------------------------------------------------

# Later, by so much, as far as the ledger of a table tells.
sub pass_time
{
	my ($table, $interval) = @_;
	$s->value("UPDATE idp.charge c SET at = at - interval '$interval' FROM idp.account a "
		  . "WHERE a.id = c.account AND a.name ~ '^public[.]$table(_|\$)'");
}
sub remains
{
	my ($table) = @_;
	return $s->value("SELECT trim_scale(remaining) FROM idp.protection WHERE active AND table_name = '$table'");
}

$s->value("CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 100) i; "
	  . "SELECT idp.protect('t', 2, 'add_remove', rows => 'visible', renew => '100 years')");
is($s->value("SELECT renew, renews_at = timestamptz '2101-01-01 UTC' FROM idp.protection WHERE table_name = 't'"),
	'100 years|t', 'a period begins with the calendar, in UTC');
$s->value('SELECT dp_count(1.5) FROM t');
is(remains('t'), '0.5', 'charged');
$r = $s->run('SELECT dp_count(1) FROM t');
is($r->{sqlstate}, 'IDP01', 'exhausted');
like($r->{hint}, qr/wait until 2101-01-01 09:00:00[+]09, when a new period begins,/, 'until when');
unlike($s->run('SELECT dp_count(2.5) FROM t')->{hint}, qr/wait/,
	'which does not help where a whole budget is not enough');
$node->restart;
$s = session($node);
is($s->run('SELECT dp_count(1) FROM t')->{sqlstate}, 'IDP01', 'a restart of the server renews nothing');
is(remains('t'), '0.5', 'and takes nothing');
pass_time('t', '100 years');
is(remains('t'), '2', 'another period');
$s->value('SELECT dp_count(1) FROM t');
is(remains('t'), '1', 'has the whole budget');
is($s->value("SELECT trim_scale(max(spent)) FROM idp.charge c JOIN idp.account a ON a.id = account "
	  . "WHERE name = 'public.t'"), '2.5', 'and the ledger keeps everything');
is($s->value("SELECT count(*) FROM idp.ledger WHERE table_name = 't'"), 2, 'and shows it');

# a clock that was ahead, and is set back, goes on in the last period it was in
pass_time('t', '-200 years');
is(remains('t'), '1', 'a clock that is set back gives nothing back');
is($s->run('SELECT dp_count(1.5) FROM t')->{sqlstate}, 'IDP01', 'nor is anything answered');
$s->value('SELECT dp_count(0.25) FROM t');
is($s->value("SELECT bool_and(at >= before) FROM (SELECT at, lag(at) OVER (ORDER BY entry) AS before FROM idp.charge c "
	  . "JOIN idp.account a ON a.id = account WHERE name = 'public.t') s"),
	't', 'charges are in the order of time');
pass_time('t', '200 years');

# when a transaction began does not matter
is($s->value("BEGIN; SELECT pg_sleep(0.01) \\g /dev/null\nSELECT dp_count(0.25) "
	  . "FROM t \\g /dev/null\nSELECT max(at) > now() FROM idp.ledger WHERE table_name = 't'; COMMIT"), 't',
	'a charge is of the time when it is made');

# other rules
is(remains('t'), '0.5', 'another rule: before');
$s->value("SELECT idp.protect('t', 2, renew => '200 years')");
is(remains('t'), '0.5', 'a period of other length counts what was charged in it');
$s->value("SELECT idp.protect('t', 3)");
is($s->value("SELECT renew FROM idp.protection WHERE table_name = 't'"), '200 years', 'a rule that is not named stays');
$s->value("SELECT idp.protect('t', 4, renew => 'never')");
is(remains('t'), '1', 'without periods everything counts: 3 of 4');

# many charges: the beginning of the period is found among them
$s->value("CREATE TABLE many AS TABLE t; "
	  . "SELECT idp.protect('many', 1000, 'add_remove', rows => 'visible', renew => '100 years')");
$s->value("DO \$\$BEGIN FOR i IN 1 .. 100 LOOP PERFORM dp_count(1) FROM many; END LOOP; END\$\$");
my $many = $s->value("SELECT id FROM idp.account WHERE name = 'public.many'");
my $wrong = '';
foreach my $earlier (0, 1, 2, 3, 49, 50, 51, 98, 99, 100)
{
	$s->value("UPDATE idp.charge SET at = now() - CASE WHEN entry <= $earlier THEN interval '100 years' ELSE '0' END "
		  . "WHERE account = $many");
	$s->value('BEGIN; SELECT dp_count(0.5) FROM many');
	my $spent = $s->value("ROLLBACK; SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 'many'");
	$s->value("DELETE FROM idp.charge WHERE account = $many AND entry > 100");
	$wrong .= "$earlier: $spent " if $spent != 100.5 - $earlier;
	my $r = $s->run("SELECT idp.protect('many', 101 - $earlier - 0.75); SELECT dp_count(1) FROM many");
	$wrong .= "$earlier: $r->{detail} "
	  if ($r->{detail} // '') ne 'The query needs 1; 0.25 of ' . (100.25 - $earlier) . ' remains.';
}
is($wrong, '', 'what was spent in the period, wherever it begins among 100 charges');
$s->value("DELETE FROM idp.charge WHERE account = $many");

# releases: what an earlier period has paid for counts once more where it is refined
$s->value("CREATE TABLE named AS TABLE t; "
	  . "SELECT idp.protect('named', 10, 'add_remove', rows => 'visible', renew => '100 years')");
$s->value("SELECT dp_count(1, 'n') FROM named; SELECT idp.relax('n', 1.5)");
is(remains('named'), '8.5', 'refined in its period: the difference');
pass_time('named', '100 years');
my $answer = $s->value("SELECT idp.relax('n', 1.5)");
is(remains('named'), '10', 'repeated in the next one: free');
is($s->value("SELECT dp_count(1.5, 'n') FROM named"), $answer, 'and the same');
$s->value("SELECT idp.relax('n', 1.25)");
is(remains('named'), '10', 'a coarser level: free');
$s->value("SELECT idp.relax('n', 2)");
is(remains('named'), '6.5', 'refined: the level, and what it had');
$s->value("SELECT dp_count(3, 'n') FROM named");
is(remains('named'), '5.5', 'refined again: the difference');
$s->value("SELECT g, dp_count(1, 'g' || g) FROM named GROUP BY g");
pass_time('named', '100 years');
$s->value("SELECT g, dp_count(2, 'g' || g) FROM named GROUP BY g");
is(remains('named'), '7', 'groups: once for all of them');
pass_time('named', '100 years');
$r = $s->run("SELECT dp_count(9, 'n') FROM named");
is($r->{detail}, 'The query needs 12; 10 of 10 remains.', 'which is known before a row is read');

# several epsilons: a level tells more than those before although its first epsilon does not
$s->value("CREATE TABLE several AS SELECT i AS x FROM generate_series(1, 1000) i; "
	  . "SELECT idp.protect('several', 10, rows => 'visible', renew => '100 years')");
$s->value("SELECT idp_median(x, ARRAY[2, 1e-12], 'm') FROM several");
is(remains('several'), '8', 'several epsilons: the first');
$s->value("SELECT idp.relax('m', ARRAY[1, 1000])");
is(remains('several'), '8', 'several epsilons: in their period the first bounds all');
pass_time('several', '100 years');
$s->value("SELECT idp.relax('m', ARRAY[2, 1e-12]), idp.relax('m', ARRAY[1, 1000])");
is(remains('several'), '10', 'several epsilons: repeated in the next one: free');
is($s->value("SELECT epsilon || ' ' || reserved FROM idp.cost('SELECT idp_median(x, ARRAY[1, 2000], "
	  . "''m'') FROM several')"), '0 4', 'several epsilons: what a finer level costs there');
$s->value("SELECT idp.relax('m', ARRAY[1, 2000])");
is(remains('several'), '6', 'several epsilons: finer in the next one: as if the first were');
$s->value("SELECT idp.relax('m', ARRAY[1, 3000]), idp_median(x, ARRAY[2, 4000], 'm') FROM several");
is(remains('several'), '6', 'several epsilons: which pays for all of that period');
$s->value("SELECT idp.relax('m', ARRAY[3, 4000])");
is(remains('several'), '5', 'several epsilons: but for a larger first');
pass_time('several', '100 years');
$s->value("SELECT idp.protect('several', 5)");
is($s->run("SELECT idp.relax('m', ARRAY[3, 5000])")->{sqlstate}, 'IDP01', 'several epsilons: not beyond the budget');

# roles
$s->value("GRANT SELECT ON named TO analyst; SELECT idp.limit_role('named', 'analyst', 1)");
$a = session($node);
$a->value('SET ROLE analyst; SELECT dp_count(1) FROM named');
is($a->run('SELECT dp_count(1) FROM named')->{message},
	'privacy budget of role "analyst" for table "named" is exhausted', 'the limit of a role');
pass_time('named', '100 years');
like($a->value('SELECT dp_count(1) FROM named'), qr/^-?\d+$/, 'is renewed with the budget');

# partitions and periods
make_orders('twofold', "1, 'add_remove', rows => 'visible', per => 'partition', renew => '100 years'");
$s->value("SELECT dp_count(1) FROM twofold WHERE at = '2023-01-01'");
is($s->run('SELECT dp_count(1) FROM twofold')->{sqlstate}, 'IDP01', 'partitions and periods: exhausted');
pass_time('twofold', '100 years');
$s->value('SELECT dp_count(1) FROM twofold');
is($s->value("SELECT count(*) FROM idp.protection WHERE partition_of = 'twofold' AND remaining = 0"), 36,
	'partitions and periods: each is renewed');

# the clock itself
$s->value("CREATE TABLE soon AS TABLE t; "
	  . "SELECT idp.protect('soon', 1, 'add_remove', rows => 'visible', renew => '1 second')");
my $answers = 0;
foreach (1 .. 600)
{
	$answers++ if !defined $s->run('SELECT dp_count(1) FROM soon')->{sqlstate};
	last if $answers == 3;
	select undef, undef, undef, 0.05;
}
is($answers, 3, 'seconds pass: three budgets');
$node->restart;
$s = session($node);
$s->value("SELECT pg_sleep(1)");
like($s->value('SELECT dp_count(1) FROM soon'), qr/^-?\d+$/, 'and across a restart');
is($s->value("SELECT count(*) FROM (SELECT FROM idp.charge c JOIN idp.account a ON a.id = account "
	  . "WHERE name = 'public.soon' GROUP BY date_trunc('second', at) HAVING sum(c.epsilon) > 1) s"), 0,
	'one for each second');
# a cursor that is read in a later period than it was charged to
$s->value("SELECT idp.protect('soon', 100)");
foreach my $query ('SELECT dp_count(1) FROM soon', 'SELECT g, dp_count(0.5) FROM soon GROUP BY g',
	"SELECT g, dp_count(0.5, 'soon' || g) FROM soon GROUP BY g",
	'SELECT (SELECT dp_count(1) FROM soon) FROM generate_series(1, 2)')
{
	$s->run("ROLLBACK; BEGIN; DECLARE c CURSOR FOR $query");
	$s->run('SELECT pg_sleep(1)');
	my $late = $s->run('FETCH c');
	is("$late->{sqlstate} $late->{message}",
		'IDP01 private answer is not given after the period whose budget paid for it', "late: $query");
	like($late->{detail}, qr/^That ended at/, 'saying when it ended');
}
$s->run('ROLLBACK');
$s->value("SELECT pg_sleep(1)");
my $in_time = $s->run("BEGIN; DECLARE c CURSOR FOR SELECT g, dp_count(0.5) FROM soon GROUP BY g; FETCH c");
$s->run('SELECT pg_sleep(1)');
is($s->run('FETCH c')->{sqlstate}, undef, 'late: the second group, which was drawn with the first')
  if !defined $in_time->{sqlstate};
$s->run('ROLLBACK');
$s->value("BEGIN; SELECT dp_count(1) FROM t");    # an open transaction
is($s->run("SELECT pg_sleep(1); SELECT dp_count(1) FROM soon")->{sqlstate}, undef,
	'within a transaction that began in an earlier period');
$s->value('ROLLBACK');

# --- Bad input ------------------------------------------------------------------------------------

foreach my $case (
	[ "'t', 1, renew => '0'", '22023', qr/renew must be a number of months/ ],
	[ "'t', 1, renew => '-1 month'", '22023', qr/renew must be/ ],
	[ "'t', 1, renew => '-3 days'", '22023', qr/renew must be/ ],
	[ "'t', 1, renew => '1 day -1 hour'", '22023', qr/renew must be/ ],
	[ "'t', 1, renew => '1 month 1 day'", '22023', qr/renew must be/ ],
	[ "'t', 1, renew => '0.5 seconds'", '22023', qr/renew must be/ ],
	[ "'t', 1, renew => '170000000 years'", '22023', qr/renew must be/ ],
	[ "'t', 1, per => 'month'", '22023', qr/per must be "table" or "partition"/ ],
	[ "'t', 1, per => 'partition'", '42809', qr/table "t" is not partitioned/ ],
	[ "'orders_2023_01', 1, per => 'partition'", '42809', qr/table "orders_2023_01" is not partitioned/ ],)
{
	my ($arguments, $state, $message) = @$case;
	my $result = $s->run("SELECT idp.protect($arguments)");
	is($result->{sqlstate}, $state, "bad input: $arguments");
	like($result->{message}, $message, 'says what is wrong');
	like($result->{hint}, qr/./, 'and the way out');
}
is($s->run("SELECT idp.protect('t', 1, renew => 'sometimes')")->{sqlstate}, '22007', 'what is no interval');
is($s->value("SELECT per, renew IS NULL FROM idp.protection WHERE table_name = 't'"), 'table|t', 'nothing was changed');
is($s->run("SET ROLE analyst; SELECT idp.add_shares('orders', true)")->{sqlstate}, '42501',
	'what the extension calls itself');
$s->value('RESET ROLE');

# --- Races ----------------------------------------------------------------------------------------

# 16 sessions ask about partitions and periods at once: no period of an account has more than its budget.
my @sessions = map { session($node) } 1 .. 16;
foreach my $renew ('100 years', '1 second')
{
	make_orders('race', "5, 'add_remove', rows => 'visible', per => 'partition', renew => '$renew'");
	start_query($sessions[$_], <<"SQL") foreach 0 .. $#sessions;
SELECT setseed($_ / 16.0);
DO \$\$DECLARE first date; last date; BEGIN
  FOR i IN 1 .. 60 LOOP
    first := date '2023-01-01' + (random() * 1000)::int;
    last := first + (random() * 90)::int;
    BEGIN
      PERFORM dp_count(1) FROM race WHERE at BETWEEN first AND last;
    EXCEPTION WHEN SQLSTATE 'IDP01' THEN
      NULL;
    END;
  END LOOP;
END\$\$
SQL
	is(join('', map { finish_query($_)->{err} } @sessions), '', "races, $renew: no error but an exhausted budget");
	my $sums = "SELECT account, sum(c.epsilon) AS sum FROM idp.charge c "
	  . "JOIN idp.account a ON a.id = account AND a.active WHERE a.name ~ '^public[.]race_' GROUP BY account"
	  . ($renew eq '1 second' ? ", date_trunc('second', at)" : '');
	is($s->value("SELECT count(*) FROM ($sums) s WHERE sum > 5"), 0,
		"races, $renew: never above the budget of a period");
	is($s->value("SELECT count(*) > 0 FROM ($sums) s WHERE sum = 5"), 't', "races, $renew: to the last of it")
	  if $renew ne '1 second';
	is($s->value("SELECT count(*) FROM idp.charge c JOIN idp.account a ON a.id = account WHERE name = 'public.race'"),
		0, "races, $renew: partitions alone are charged");
	$s->value('DROP TABLE race; DELETE FROM idp.account WHERE name LIKE \'public.race%\'');
}
$s->value("DELETE FROM idp.charge c USING idp.account a WHERE a.id = account AND name IN ('public.t', 'public.named')");
sound($s, 'at the end');

# --- Dump and upgrade -----------------------------------------------------------------------------

my $file = abs_path($node->basedir) . '/living.dump';
$node->command_ok([ 'pg_dump', '-f', $file, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
my $copy = session($node, 'copy');
my $rules = 'SELECT table_name, active, total, per, renew, partition_of, CASE WHEN renew IS NULL THEN spent END '
  . 'FROM idp.protection ORDER BY 1, 2, 3, 6';
is($copy->value($rules), $s->value($rules), 'a dump keeps rules and accounts');
$copy->value("SELECT idp.protect('orders', 1000)");
$copy->value("CREATE TABLE orders_2026_01 PARTITION OF orders FOR VALUES FROM ('2026-01-01') TO ('2026-02-01'); "
	  . "SELECT dp_count(1) FROM orders WHERE at >= '2025-12-01'");
is($copy->value("SELECT string_agg(trim_scale(spent)::text, ', ' ORDER BY table_name) FROM idp.budget "
	  . "WHERE table_name IN ('orders_2025_12', 'orders_2026_01')"),
	$s->value("SELECT trim_scale(spent + 1) FROM idp.budget WHERE table_name = 'orders_2025_12'") . ', 1',
	'and they go on');

$node->safe_psql('postgres', 'CREATE DATABASE old TEMPLATE template0');
my $old = session($node, 'old');
$old->value(<<'SQL');
CREATE EXTENSION idp VERSION '0.2.0';
CREATE TABLE orders (at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM ('2023-01-01') TO ('2023-02-01');
CREATE TABLE orders_2 PARTITION OF orders FOR VALUES FROM ('2023-02-01') TO ('2023-03-01');
SELECT idp.protect('orders', 10, 'add_remove');
SELECT dp_count(1) FROM orders;
SQL
is($old->value("SELECT dp_count(1) FROM orders WHERE at = '2023-01-01' \\g /dev/null\n"
	  . "SELECT trim_scale(spent) FROM idp.budget"), '2', 'a catalog of 0.2.0 goes on');
$old->value('ALTER EXTENSION idp UPDATE');
is($old->value("SELECT table_name, per, renew IS NULL, trim_scale(spent) FROM idp.protection"), 'orders|table|t|2',
	'upgraded: one budget, for ever');
$old->value("SELECT idp.protect('orders', 10, per => 'partition', renew => '100 years'); "
	  . "SELECT dp_count(1) FROM orders WHERE at = '2023-01-01'");
is($old->value("SELECT string_agg(table_name || ' ' || trim_scale(spent), ', ' ORDER BY table_name) FROM idp.budget"),
	'orders 2, orders_1 3, orders_2 2', 'upgraded: a budget for each partition');

$node->stop;
done_testing();
