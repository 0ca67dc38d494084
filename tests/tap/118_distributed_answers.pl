# Private answers about tables that Citus distributes, where it is installed: those of a table of one server
# with the same rows, at the same cost, for the owner and for an analyst from whom the rows are hidden. While
# shards move, when a worker dies, and where two sessions ask for the last of a budget.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use CitusTest;
use IdpTest;
use LedgerTest qw(spent start_query finish_query);
use RankRows;
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my @nodes = new_cluster('distributed_answers');
my ($coordinator) = @nodes;
my $owner = session($coordinator);
my $analyst = session($coordinator);
$owner->value('SET client_min_messages = error; SET ROLE keeper');
$analyst->value('SET client_min_messages = error; SET ROLE analyst');

# --- kinds of tables: all with the same rows ------------------------------------------------------

my $columns = 'id int, g int, t text, x int, n numeric(10,2), f float8, d date, PRIMARY KEY (id)';
my $rows = "SELECT i, i % 5, 'c' || i % 3, (i * 7919) % 101, ((i * 104729) % 2001) / 100.0, (i % 64) / 8.0, "
  . "date '2024-01-01' + i % 200 FROM generate_series(1, 600) i";
my %distribute = (
	alone => '',
	hashed => q[SELECT create_distributed_table('hashed', 'id')],
	referenced => q[SELECT create_reference_table('referenced')],
	single => q[SELECT create_distributed_table('single', NULL)],
	local => q[SELECT citus_add_local_table_to_metadata('local')],);
my @tables = ('alone', grep { $_ ne 'alone' } sort keys %distribute);
foreach my $table (@tables)
{
	$owner->value("CREATE TABLE $table ($columns); INSERT INTO $table $rows; GRANT SELECT ON $table TO analyst");
	$owner->value($distribute{$table}) if $distribute{$table};
}
sub protect
{
	my ($rows) = @_;
	foreach my $table (@tables)
	{
		is($owner->run("SELECT idp.protect('$table', 1e9, rows => '$rows', epsilon => 1000, delta => 0.5)")->{message},
			undef, "$table is protected");
		$owner->value("SELECT idp.set_domain('$table', 'g', ARRAY[0, 1, 2, 3, 4]), "
			  . "idp.set_domain('$table', 'x', 0, 100)");
	}
	return;
}

my @statements = (
	'SELECT dp_count(1000) FROM %s',
	'SELECT dp_count(1000), dp_sum(x, 1000, 0, 100), idp_median(x, 1000), idp_max(x, 1000, 100) FROM %s',
	'SELECT g, dp_count(1000), dp_sum(x, 1000, 0, 100), idp_median(n, 1000) FROM %s GROUP BY g ORDER BY g',
	q[SELECT dp_count(1000) FROM %s WHERE t = 'c1' AND x BETWEEN 20 AND 70 AND d < '2024-04-01'],
	'SELECT g, dp_count(1000) FILTER (WHERE x > 50), dp_count_distinct(x, 1000) FROM %s WHERE n > 3.5 '
	  . 'GROUP BY g ORDER BY g',
	'SELECT dp_count(1000) FROM (SELECT x + 1 AS y FROM %s WHERE f < 4) s WHERE y < 60',
	'WITH q AS (SELECT g, x FROM %s) SELECT g, dp_count(1000) FROM q WHERE g < 3 GROUP BY g ORDER BY g',
	'SELECT dp_count(1000) FROM %s WHERE false',
	'SELECT (SELECT dp_count(1000) FROM %s) + 1',
	'SELECT x, dp_count(1000) FROM (SELECT 1) o, LATERAL (SELECT 2 AS x) l, %s s(id, g, t, y) GROUP BY x',
	'SELECT dp_count(1000) FROM %1$s a JOIN %1$s b USING (id) WHERE a.x = 5',
	'SELECT idp_avg(f, 1000, 0, 8) > 0 FROM %s',);
my %plain = (
	'SELECT count(*) FROM %s' => 1,
	'SELECT g, count(*), sum(x) FROM %s GROUP BY g ORDER BY g' => 1,
	'SELECT DISTINCT g FROM %s ORDER BY g' => 1,);

sub outcome { my ($s, $sql) = @_; my $r = $s->run($sql); return $r->{message} // $r->{out} }

sub compare
{
	my ($who, $s) = @_;
	foreach my $statement (@statements, $who eq 'analyst' ? sort keys %plain : ())
	{
		my %got;
		foreach my $table (@tables)
		{
			my $before = spent($owner, $table);
			my $out = outcome($s, sprintf $statement, $table);
			$got{$table} = $out =~ s/\b$table\b/TABLE/gr . ' for '
			  . $owner->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = '$table'");
		}
		is($got{$_}, $got{alone}, "$who, $_: $statement") foreach @tables[ 1 .. $#tables ];
		note "$got{alone}";
	}
	return;
}
protect('visible');
compare('owner', $owner);
protect('hidden');
compare('owner', $owner);
compare('analyst', $analyst);

# --- random sums: what nothing else asks for is added up by the workers ---------------------------

my $seed = $ENV{IDP_REMOTE_SEED} // 118;
my $state = $seed;
sub choose { $state = ($state * 1103515245 + 12345) % 2**31; return $_[ ($state >> 8) % @_ ] }
my $make_wide =
  q[CREATE TABLE %1$s (id int PRIMARY KEY, g int, x int, s smallint, b bigint, n numeric(12,2), z numeric(30,0),
    k text, y int NOT NULL, q bigint);
  INSERT INTO %1$s
  SELECT i, i %% 5, CASE WHEN i %% 6 > 0 THEN (i * 7919) %% 1009 - 500 END, CASE WHEN i %% 11 > 0 THEN i %% 300 END,
    i::bigint * 99999999 - 20000000000,
    CASE i %% 13 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE (i * 104729 %% 200001) / 100.0 - 500 END,
    i::numeric * 10000000000000000, 'k' || i %% 3, (i * 31) %% 211 - 40,
    CASE i %% 4 WHEN 0 THEN 9223372036854775807 - i WHEN 1 THEN -9223372036854775807 + i WHEN 2 THEN i * 1000 END
  FROM generate_series(1, 400) i];
foreach my $table ('wide', 'wide_here')
{
	$owner->value(sprintf $make_wide, $table);
	$owner->value("SELECT create_distributed_table('wide', 'id')") if $table eq 'wide';
	$owner->value("GRANT SELECT ON $table TO analyst; SELECT idp.protect('$table', 1e18, epsilon => 1000000)");
	$owner->value("SELECT idp.set_domain('$table', 'g', ARRAY[0, 1, 2, 3, 4, 9]), idp.set_domain('$table', 'k', "
		. "ARRAY['k0', 'k1', 'k2', 'k7']), idp.set_domain('$table', 'x', -200, 300), idp.set_domain('$table', 'n', "
		. "-400, 1200.5)");
}
my @calls = ('dp_sum(x, 1e9, -300, 400)', 'dp_sum(x, 1e9, -20000000, 20000000)', 'dp_sum(s, 1e9, 10, 200)',
	'dp_sum(y, 1e9, 5, 100)', 'dp_sum(y, 1e14, -3000000000, 3000000000)', 'idp_sum(y, 1e9, -20, 900)',
	'dp_sum(y, 1e9, 300, 400)', 'dp_sum(b, 1e9, -2000, 20000000)', 'dp_sum(n, 1e9, -100.25, 700.5)',
	'dp_sum(n, 1e13, -90000000, 700.5)',
	'dp_sum(q, 1e14, 1000, 4195303)', 'dp_sum(q, 1e14, 1000, 4195304)',
		'round(dp_sum(q, 1e14, -9223372036854775807, -9223372036854775700) / 1e9)',
		'round(dp_sum(q, 1e14, 9223372036854775500, 9223372036854775807) / 1e9)',
		'round(dp_sum(q, 1e14, -9223372036854775808, 9223372036854775807) / 1e10)',
	 'idp_sum(x, 1e9, -600, 600)',
	'round(idp_avg(x, 1e9, -600, 600) + 0.0003, 2)', 'round(dp_avg(n, 1e9, -600, 1600) + 0.0003, 2)', 'dp_count(1e9)',
		'dp_count(x, 1e9)', 'idp_median(x, 1e9)', 'dp_sum(x + s, 1e9, 0, 900)',
		'round(dp_sum(z, 1e9, 0, 4000000000000000000) / 1e16)', 'round(dp_variance(x, 1e9, -600, 600), 1)');
my @random = map {
	my $number = choose(1, 2, 2, 3);
	my $asked = join ', ', map {
		my $call = choose(@calls);
		choose(0 .. 4) == 0 && $call !~ /round/ ? "$call FILTER (WHERE " . choose('g > 1', 'x > 0', "k = 'k1'") . ')'
		  : $call
	} 1 .. $number;
	my $where = choose('', '', ' WHERE x > -100', ' WHERE s < 50 AND k <> \'k2\'', ' WHERE n > 0', ' WHERE x % 3 = 0',
		' WHERE id < 3', ' WHERE id = 5', ' WHERE id < 0');
	my $key = choose('', '', 'g', 'k', 'g, k');
	'SELECT ' . ($key && "$key, ") . "$asked FROM %s$where" . ($key && " GROUP BY $key ORDER BY $key");
} 1 .. $ENV{IDP_REMOTE_STATEMENTS} // 150;
foreach my $statement (@random)
{
	my ($here, $there) = map { outcome($analyst, sprintf $statement =~ s/%(?!s)/%%/gr, $_) =~ s/wide_here/wide/gr }
	  'wide_here', 'wide';
	is($there, $here, "seed $seed: $statement");
}
my $explained = outcome($owner, 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) '
	  . 'SELECT dp_sum(n, 1, -1.25, 3), dp_count(1), dp_sum(x, 1, 0, 9) FROM wide WHERE x < 5');
like($explained,
	qr/Remote SQL: SELECT pg_catalog\.count\(\*\), \(pg_catalog\.sum\(idp\.bounded\(n, '-125', '300', '4611686018427388029', 786438\)\)\)::text, \(pg_catalog\.sum\(idp\.bounded\(x, '0', '9', '4611686018427387904'\)\)\)::text FROM/,
	'sums alone, which tell how many values there are') or diag $explained;
$explained = outcome($owner, 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) '
	  . 'SELECT dp_sum(y, 1, 0, 2147483647), dp_sum(y, 1, -5, 50) FROM wide');
like($explained,
	qr/Remote SQL: SELECT pg_catalog\.count\(\*\), \(pg_catalog\.sum\(idp\.bounded\(y, '0', '2147483647', '0'\)\)\)::text, \(pg_catalog\.sum\(idp\.bounded\(y, '-5', '50', '0'\)\)\)::text FROM/,
	'no more than the sums of a column that is NOT NULL') or diag $explained;
$explained = outcome($owner, 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) '
	  . 'SELECT dp_sum(x, 1, 0, 10000000), dp_sum(x, 1, -5, 50) FROM wide');
like($explained,
	qr/Remote SQL: SELECT pg_catalog\.count\(\*\), pg_catalog\.count\(x\), \(pg_catalog\.sum\(idp\.bounded\(x, '0', '10000000', '0'\)\)\)::text, /,
	'bounds that are too far apart for sums to tell how many values there are') or diag $explained;

# An analyst cannot put another function in its place; a worker that lacks it is an error.
my ($admin, $worker) = map { session($_) } @nodes[0, 1];
$admin->value('SET client_min_messages = error; CREATE SCHEMA pocket; GRANT USAGE ON SCHEMA pocket TO PUBLIC; CREATE '
	. 'FUNCTION pocket.bounded(int, bigint, bigint, bigint) RETURNS bigint LANGUAGE sql AS $$ '
	. 'SELECT 10 * $1::bigint $$');
$analyst->value('SET search_path = pocket, public');
is(outcome($analyst, 'SELECT dp_sum(x, 1e9, 0, 9) FROM wide'), outcome($analyst,
	'SELECT dp_sum(x, 1e9, 0, 9) FROM wide_here'), 'a function of the same name in another schema is not called');
$analyst->value('RESET search_path');
$admin->value('DROP SCHEMA pocket CASCADE');
isnt($analyst->run('CREATE FUNCTION idp.bounded(int, int, int, bigint) RETURNS bigint LANGUAGE sql AS $$ '
	  . 'SELECT 10 * $1::bigint $$')->{message}, undef, 'none is made in the schema of the extension');
isnt($analyst->run('SELECT idp.bounded(x, 0, 9, 0) FROM wide')->{message}, undef, 'it shows no rows');
$worker->value("SET citus.enable_ddl_propagation = off; " . join '; ',
	map { "ALTER FUNCTION idp.bounded($_, bigint, bigint, bigint) RENAME TO other" } qw(int bigint));
like($analyst->run('SELECT dp_sum(x, 1e9, 0, 9) FROM wide')->{message},
	qr/a worker that has rows of table "wide" lacks a function of extension idp/, 'a worker without the function');
$worker->value(join '; ',
	map { "ALTER FUNCTION idp.other($_, bigint, bigint, bigint) RENAME TO bounded" } qw(int bigint));
is(outcome($analyst, 'SELECT dp_sum(x, 1e9, 0, 9) FROM wide'),
	outcome($analyst, 'SELECT dp_sum(x, 1e9, 0, 9) FROM wide_here'), 'and with it');
$_->quit foreach $admin, $worker;

# --- persons with many rows, over tables that lie beside each other; and partitions -----------------------------------

foreach my $kind ('one', 'two')
{
	$owner->value("CREATE TABLE ${kind}_zone (id int PRIMARY KEY, name text NOT NULL UNIQUE); "
		  . "INSERT INTO ${kind}_zone VALUES (1, 'near'), (2, 'far'), (3, 'nowhere'); "
		  . "CREATE TABLE ${kind}_person (id int PRIMARY KEY, region text, zone int); "
		  . "CREATE TABLE ${kind}_order (person int, no int, status text, price int, day date, paid numeric(8,2), "
		  . 'PRIMARY KEY (person, no)); '
		  . "INSERT INTO ${kind}_person SELECT i, 'r' || i % 4, nullif(i % 3, 0) FROM generate_series(1, 200) i; "
		  . "INSERT INTO ${kind}_order SELECT 1 + (i * i) % 200, i, 's' || i % 3, i % 50, "
		  . "date '2024-01-01' + i % 100, "
		  . "CASE i % 11 WHEN 3 THEN NULL WHEN 4 THEN 'NaN' WHEN 5 THEN -9.99 ELSE i / 7.0 END "
		  . 'FROM generate_series(1, 900) i');
	$owner->value("SELECT create_reference_table('two_zone')") if $kind eq 'two';
	$owner->value("SELECT create_distributed_table('two_person', 'id'), "
		  . "create_distributed_table('two_order', 'person', colocate_with => 'two_person')") if $kind eq 'two';
	$owner->value("ALTER TABLE ${kind}_order ADD FOREIGN KEY (person) REFERENCES ${kind}_person (id)");
	$owner->value("ALTER TABLE ${kind}_person ADD FOREIGN KEY (zone) REFERENCES ${kind}_zone (id)");
	$owner->value("GRANT SELECT ON ${kind}_$_ TO analyst") foreach 'zone', 'person', 'order';
	is($owner->run("SELECT idp.protect('${kind}_person', 1e12, unit => 'id', "
		  . "epsilon => 1e9, delta => 0.5)")->{message}, undef, "$kind: persons are protected");
	is($owner->run("SELECT idp.link('${kind}_order', 'person', '${kind}_person', max_rows => 20)")->{message}, undef,
		"$kind: and their orders");
	$owner->value("SELECT idp.set_domain('${kind}_person', 'region', ARRAY['r0', 'r1', 'r2', 'r3']), "
		. "idp.set_domain('${kind}_order', 'status', ARRAY['s0', 's1', 's2']), idp.set_domain('${kind}_order', "
		. "'price', 0, 49), idp.set_domain('${kind}_order', 'paid', 0.5, 100)");
	$owner->value("CREATE TABLE ${kind}_part (id int, g int, x int) PARTITION BY LIST (g); " . join '',
		map { "CREATE TABLE ${kind}_part$_ PARTITION OF ${kind}_part FOR VALUES IN ($_); " } 0 .. 2);
	$owner->value("INSERT INTO ${kind}_part SELECT i, i % 3, i % 10 FROM generate_series(1, 300) i; "
		  . "GRANT SELECT ON ${kind}_part TO analyst");
	$owner->value("SELECT create_distributed_table('two_part', 'id')") if $kind eq 'two';
	$owner->value("SELECT idp.protect('${kind}_part', 1e9, epsilon => 1000); "
		  . "SELECT idp.set_domain('${kind}_part', 'g', ARRAY[0, 1, 2])");
	foreach my $table ('part', 'part1')
	{
		$owner->value("GRANT SELECT ON ${kind}_$table TO analyst");
	}
}
my @of_persons = (
	'SELECT count(*), sum(price) FROM %s_order',
	'SELECT status, count(*), sum(price) FROM %s_order WHERE price > 10 GROUP BY status ORDER BY status',
	'SELECT p.region, count(*) FROM %1$s_order o JOIN %1$s_person p ON p.id = o.person GROUP BY p.region ORDER BY 1',
	'SELECT p.region, o.status, count(*), sum(o.price) FROM %1$s_order o JOIN %1$s_person p ON p.id = o.person '
	  . 'GROUP BY 1, 2 ORDER BY 1, 2',
	'SELECT sum(paid), count(paid), round(avg(paid), 2) FROM %s_order',
	'SELECT status, count(paid), sum(paid) FILTER (WHERE price > 7), sum(least(paid, 20)) FROM %s_order '
	  . 'GROUP BY 1 ORDER BY 1',
	"SELECT p.region, round(avg(o.paid), 2), count(*) FILTER (WHERE o.status = 's1') FROM %1\$s_order o "
	  . "JOIN %1\$s_person p ON o.person = p.id WHERE p.region <> 'r3' AND o.day > '2024-02-01' GROUP BY p.region "
	  . 'ORDER BY 1',
	'SELECT z.name, count(*), sum(o.paid) FROM %1$s_order o JOIN %1$s_person p ON p.id = o.person '
	  . 'JOIN %1$s_zone z ON z.id = p.zone GROUP BY z.name ORDER BY 1',
	'SELECT z.name, p.region, count(*) FROM %1$s_person p JOIN %1$s_zone z ON z.id = p.zone GROUP BY 1, 2 '
	  . 'ORDER BY 1, 2',
	'SELECT dp_count(1000) FROM %s_person',
	'SELECT dp_count(1000), idp_median(n, 1000) FROM (SELECT person, count(*) AS n FROM %s_order GROUP BY person) q',
	'SELECT dp_sum(s, 1000000, 0, 1000) FROM (SELECT person, sum(price) AS s FROM %s_order WHERE status <> \'s1\' '
	  . 'GROUP BY person) q',
	'SELECT dp_sum(s, 1000000, 0, 1000), dp_count(1000), dp_avg(m, 1000000, 0, 100) '
	  . 'FROM (SELECT person, sum(price) AS s, max(price) - min(price) + 1 AS m, count(*) AS n FROM %s_order '
	  . 'GROUP BY person HAVING count(status) > 3) q',
	'SELECT dp_sum(n, 1000000, 0, 50) FROM (SELECT person, max(n) AS n '
	  . 'FROM (SELECT person, status, count(*) AS n, max(day) AS d FROM %s_order WHERE person %% 3 > 0 '
	  . 'GROUP BY person, status) s WHERE d < \'2024-03-20\' AND status <> \'s2\' GROUP BY person) q',
	'SELECT status, round(dp_sum(n, 1000000, 0, 20), 2) '
	  . 'FROM (SELECT status, idp.clip(n, 20) OVER (PARTITION BY person) AS n FROM (SELECT person, status, '
	  . 'count(*) AS n FROM %s_order GROUP BY person, status) a) q GROUP BY status ORDER BY 1',
	'SELECT dp_sum(s, 1000000, 0, 1000) FROM (SELECT person, sum(price) FILTER (WHERE price > 7) AS s FROM %s_order '
	  . 'GROUP BY person) q',
	'SELECT count(DISTINCT person) FROM %s_order WHERE price = 7',
	'SELECT dp_count(1000) FROM %1$s_person p '
	  . 'WHERE EXISTS (SELECT FROM %1$s_order o WHERE o.person = p.id AND o.price = 7)',
	'SELECT g, dp_count(1000), dp_sum(x, 1000, 0, 9) FROM %s_part GROUP BY g ORDER BY g',
	'SELECT count(*) FROM %s_part WHERE g > 0', 'SELECT count(*) FROM %s_part1', 'SELECT * FROM %s_order',
	'SELECT max(price) OVER () FROM %s_order',);

# ANALYZE finds that tables of Citus are empty here: one of the joined tables would be read for each row of the other.
$owner->value('ANALYZE two_person, two_order');
unlike(steps_of($analyst, sprintf $of_persons[2], 'two'), qr/NESTLOOP/, 'persons: their rows are joined at once');
foreach my $statement (@of_persons)
{
	my %got;
	foreach my $kind ('one', 'two')
	{
		my @spent = map { spent($owner, "${kind}_$_") } 'person', 'part';
		my $out = outcome($analyst, sprintf $statement, $kind) =~ s/\b${kind}_/TABLE_/gr;
		$got{$kind} = "$out for " . join ' ', map { $owner->value("SELECT trim_scale(spent - $spent[$_]) "
			  . "FROM idp.budget WHERE table_name = '${kind}_" . ('person', 'part')[$_] . "'") } 0, 1;
	}
	is($got{two}, $got{one}, "persons: $statement");
	note $got{one};
}

# Groups of rows of one table are made where they lie, in whatever order they are wanted here; what differs by the
# server is not.
sub asked_of_two
{
	my ($below) = @_;
	my ($asked) = outcome($owner, "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
		  . "SELECT dp_sum(n, 1, 0, 20) FROM ($below) q") =~ /Remote SQL: (.*)/;
	return $asked;
}
is(asked_of_two('SELECT person, sum(price) AS n FROM two_order WHERE price > 10 GROUP BY person'),
	'SELECT person, pg_catalog.sum(price) FROM public.two_order WHERE (price > 10) GROUP BY person',
	'groups are made there');
$owner->value('SET enable_hashagg = off');
is(asked_of_two('SELECT person, max(n) AS n FROM (SELECT person, status, count(*) AS n FROM two_order '
	. 'WHERE person % 2 = 0 GROUP BY person, status) s GROUP BY person'),
	'SELECT person, status, pg_catalog.count(*) FROM public.two_order GROUP BY person, status', 'and sorted here');
$owner->value('RESET enable_hashagg');
my $of_both = 'FROM two_order o JOIN two_person p ON p.id = o.person';
is(asked_of_two("SELECT p.region, o.person, sum(o.price) AS n $of_both "
	  . "WHERE p.region <> 'r1' AND o.price > 3 GROUP BY p.region, o.person"),
	'SELECT t2.region, t1.person, pg_catalog.sum(t1.price) FROM public.two_order t1, public.two_person t2 '
	  . "WHERE t1.person = t2.id AND ((t1.price > 3)) AND ((t2.region <> 'r1'::text)) GROUP BY t2.region, t1.person",
	'so are joins by the columns that tables are distributed by');
like(asked_of_two("SELECT z.name, o.person, count(*) AS n $of_both JOIN two_zone z ON z.id = p.zone GROUP BY 1, 2"),
	qr/^SELECT t\d\.name, t\d\.person, pg_catalog.count\(\*\) FROM public\.two_\w+ t1, .*two_\w+ t2, .*two_\w+ t3 /,
	'and with reference tables');
$owner->value('CREATE TABLE two_apart (id int PRIMARY KEY, region text)');
$owner->value("SELECT create_distributed_table('two_apart', 'id', shard_count => 2, colocate_with => 'none')");
unlike(asked_of_two("SELECT o.person, count(*) AS n FROM two_order o $_ GROUP BY o.person"), qr/t2/, "not there: $_")
  foreach 'LEFT JOIN two_person p ON p.id = o.person', 'JOIN two_person p ON p.id = o.no',
	'JOIN two_person p ON p.id = o.person AND p.zone < o.price', 'JOIN two_apart a ON a.id = o.person',
	'JOIN two_person p ON p.id = o.person + 0', 'JOIN two_zone z ON z.id > o.price',
	'JOIN two_person p ON p.id = o.person JOIN two_order other ON other.no = o.no';
is(asked_of_two('SELECT person, sum(least(greatest(paid, 0), 1e400)) AS n FROM two_order GROUP BY person'),
	'SELECT person, paid, pg_catalog.count(*) FROM public.two_order GROUP BY person, paid',
	'nor is a bound that no double holds, which is no error');
unlike(asked_of_two($_), qr/(?:max|sum)[(]/, "not there: $_")
  foreach 'SELECT person, count(*) AS n FROM two_order WHERE price % 2 = 0 GROUP BY person',
  	'SELECT person, count(*) AS n, max(status) FROM two_order GROUP BY person',
  	'SELECT person, count(DISTINCT price) AS n FROM two_order GROUP BY person',
  'SELECT person, sum(price * 2) AS n FROM two_order GROUP BY person';

# --- settings of the analyst's session that Citus carries to the workers --------------------------

# There they would hold on the owner's connection: dates come back in another form, and names stand for
# functions of his.
my $carried = 'rows of table "hashed" cannot be read in a transaction whose settings Citus carries to its workers';
foreach my $setting ("DateStyle = 'SQL, DMY'", 'extra_float_digits = -15', 'array_nulls = off',
	'search_path = evil, pg_catalog, public')
{
	my $before = spent($owner, 'hashed');
	$analyst->value("BEGIN; SET citus.propagate_set_commands = 'local'; SET citus.enable_binary_protocol = off; "
		  . "SET LOCAL $setting; SET citus.propagate_set_commands = 'none'");
	is(outcome($analyst, "SELECT public.dp_count(1000) FROM public.hashed "
		  . "WHERE id < 165 AND length(d::text) > 3 AND t <> 'x'"), $carried, "$setting: refused");
	$analyst->value('ROLLBACK');
	$analyst->value("BEGIN; SET citus.propagate_set_commands = 'local'; SET LOCAL $setting; SAVEPOINT a");
	is(outcome($analyst, 'SELECT public.dp_count(1000) FROM public.hashed'), $carried, '... below a savepoint');
	$analyst->value('ROLLBACK; RESET ALL; SET client_min_messages = error');
	is(spent($owner, 'hashed'), $before, '... and not charged');
}
$analyst->value("BEGIN; SET LOCAL DateStyle = 'SQL, DMY'; SET citus.enable_binary_protocol = off; "
	  . "SET extra_float_digits = -15");
is(outcome($analyst, "SELECT dp_count(1000) FROM hashed WHERE id < 165 AND length(d::text) > 3"), 164,
	'settings that stay here do nothing');
$analyst->value('ROLLBACK; RESET ALL; SET client_min_messages = error');

# Whether a table is asked for does not depend on rows of another one.
my @asked = map {
	my $r =
	  $analyst->run("SET citus.log_remote_commands = on; SET client_min_messages = notice; BEGIN; SELECT dp_count(1) "
		. "FROM alone h JOIN hashed s ON s.id = h.id WHERE h.id = 5 AND h.x = $_; COMMIT; "
		. "SET client_min_messages = error; RESET citus.log_remote_commands");
	scalar(() = $r->{err} =~ /issuing COMMIT/g);
} 37, -1;
is($asked[0], $asked[1], 'servers are asked whatever rows another table has');
cmp_ok($asked[0], '>', 0, 'which shows');

# Answers into a table of Citus
$owner->value("CREATE TABLE kept_there (n bigint); SELECT create_reference_table('kept_there')");
like(outcome($owner, $_),
	qr/^queries of protected table "\w+" cannot be computed by custom scan|^$|^QUERY PLAN|Custom Scan/, $_)
  foreach 'INSERT INTO kept_there SELECT dp_count(1) FROM alone',
  'EXPLAIN INSERT INTO kept_there SELECT dp_count(1) FROM alone',
  'INSERT INTO kept_there SELECT dp_count(1) FROM hashed';
is(outcome($owner, 'SELECT 1'), 1, 'the server lives');

$owner->value(q[CREATE TYPE pair AS (a date, b int); CREATE TABLE odd (id int, p pair); ]
	  . q[INSERT INTO odd VALUES (1, ('2024-06-14', 1)); GRANT SELECT ON odd TO analyst; ]
	  . q[SELECT create_distributed_table('odd', 'id'); SELECT idp.protect('odd', 1000)]);
like(outcome($owner, 'SELECT dp_count(1) FROM odd WHERE p IS NOT NULL'),
	qr/^column p of table "odd", whose rows lie in other servers, is of type pair, which private answers cannot read there|cannot be/,
	'a type whose values travel as text is not read');

# --- values near ranks, which are looked for where they lie ---------------------------------------

my %ranked = (ranked => '', ranked_hashed => q[SELECT create_distributed_table('ranked_hashed', 'id')],
	ranked_parts => q[SELECT create_distributed_table('ranked_parts', 'id')],
	ranked_single => q[SELECT create_distributed_table('ranked_single', NULL)], );
my @ranked = sort keys %ranked;
foreach my $table (@ranked)
{
	my $is_whole = $table ne 'ranked_parts';
	$owner->value("CREATE TABLE $table ($rank_columns)" . ($is_whole ? '' : ' PARTITION BY RANGE (id)'));
	$owner->value($ranked{$table}) if $ranked{$table};
	$owner->value("CREATE TABLE ranked_parts$_ PARTITION OF ranked_parts FOR VALUES FROM (" . ($_ * 50000) . ') TO ('
		  . (($_ + 1) * 50000) . ')') foreach $is_whole ? () : (0 .. 2);
	$owner->value("INSERT INTO $table " . rank_filling(1, $rank_rows));
	$owner->value("GRANT SELECT ON $table TO analyst; SELECT idp.protect('$table', 1e50), "
		  . "idp.set_domain('$table', 'w', ARRAY[-6, 5])");
}
foreach my $question (rank_questions($seed, 40), repeated_questions())
{
	my $here = exact_outcome($analyst, $question, 'ranked');
	foreach my $table (@ranked[ 1 .. $#ranked ])
	{
		is(exact_outcome($analyst, $question, $table), $here, "$table: $question");
	}
}

# What is asked has values of rows, which only the owner may be shown.
foreach my $s ($owner, $analyst)
{
	$owner->value(q[SELECT idp.protect('ranked_hashed', 1e50, rows => 'visible')]) if $s == $owner;
	my $r = $s->run(q[SET citus.log_remote_commands = on; SET client_min_messages = debug4; ]
		  . q[SELECT idp_median(u, 1e30) FROM ranked_hashed]);
	$s->run('RESET citus.log_remote_commands; SET client_min_messages = error');
	$s == $owner
	  ? like($r->{err},
		qr/count\(u\).* TABLESAMPLE .*array_agg\(u\).*TABLESAMPLE.*FILTER \(WHERE \(\(?u OPERATOR\(pg_catalog\.>\)/s,
		'the owner may see what is asked')
	  : unlike($r->{err}, qr/array_agg|TABLESAMPLE/i, 'an analyst does not');
	$owner->value(q[SELECT idp.protect('ranked_hashed', 1e50, rows => 'hidden')]);
}

# Samples say where to look, of rows in any order, and of rows in the order of the values.
$owner->value(q[SELECT idp.protect('ranked_hashed', 1e50, rows => 'visible'); SET citus.log_remote_commands = on; ]
	  . q[SET client_min_messages = notice]);
foreach my $column ('u', 'o', 'k', 'z', 'a')
{
	my @asked = map { $owner->run("SELECT idp_median($column, 1e30) FROM ranked_hashed")->{err} } 1 .. 5;
	cmp_ok(scalar(grep { !/width_bucket|SELECT $column, count|min\($column\)/ } @asked), '>=', 4,
		"$column: found by samples");
}
# Many ranks, each of which takes a part of what may be moved: a sample of a sample says where.
foreach my $table ('many_here', 'many_there')
{
	$owner->value("CREATE TABLE $table (id bigint, x float8)");
	$owner->value("SELECT create_distributed_table('$table', 'id')") if $table eq 'many_there';
	$owner->value("INSERT INTO $table SELECT i, (i * 7919 % 1000003) + i * 1e-8 "
		  . 'FROM generate_series(1::bigint, 1000000) i');
	$owner->value("SELECT idp.protect('$table', 1e50, rows => 'visible')");
}
my $deciles = join ', ', map { "idp_quantile(x, 1e30, 0.$_)" } 1 .. 9;
my $deciles_here = $owner->value("SELECT $deciles FROM many_here");
my @deciles_there = map { $owner->run("SELECT $deciles FROM many_there") } 1 .. 5;
is($_->{out}, $deciles_here, 'nine ranks') foreach @deciles_there;
cmp_ok(scalar(grep { $_->{err} !~ /width_bucket/ } @deciles_there), '>=', 4, 'found by samples');
# One value, and two: counting each near the rank by itself would take longer.
foreach my $column ('c', 'w')
{
	my $asked = $owner->run("SELECT idp_median($column, 1e30) FROM ranked_hashed")->{err};
	like($asked, qr/TABLESAMPLE.*SELECT $column, count\(\*\)/s, "$column: few values, each counted");
	unlike($asked, qr/width_bucket/, "$column: in one statement");
}
# Two shards on each server: each has a connection of its own, from the first sample on; unless a query may not
# have as many.
foreach my $case ([ 2, 4 ], [ 1, 2 ])
{
	my ($most, $connections) = @$case;
	my $asked = $owner->run("SET citus.max_adaptive_executor_pool_size = $most; "
		  . "SELECT idp_median(u, 1e30) FROM ranked_hashed")->{err};
	my %seen = map { $_ => 1 } $asked =~ /issuing SELECT.*?connectionId: (\d+)/gs;
	is(scalar keys %seen, $connections, "$connections connections where $most are allowed to each server");
}
$owner->value('RESET citus.max_adaptive_executor_pool_size');
$owner->value(q[RESET citus.log_remote_commands; SET client_min_messages = error; ]
	  . q[SELECT idp.protect('ranked_hashed', 1e50, rows => 'hidden')]);

# Rows that are written meanwhile: no errors, and an answer between those of before and after.
my $writer = session($coordinator);
my $before_writes = $owner->value('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY u) FROM ranked');
start_query($writer,
	'SET client_min_messages = error; DO $$ BEGIN FOR i IN 1 .. 60 LOOP INSERT INTO ranked_hashed (id, u) '
	. 'SELECT 1000000 + i * 1000 + j, 1e6 + j FROM generate_series(1, 900) j; COMMIT; END LOOP; END $$');
my @meanwhile = map { outcome($analyst, 'SELECT idp_median(u, 1e30) FROM ranked_hashed') } 1 .. 15;
is(finish_query($writer)->{message}, undef, 'rows are written');
my $after_writes =
  $owner->value('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY u) FROM (SELECT u FROM ranked UNION ALL '
	. 'SELECT 1e6 + j FROM generate_series(1, 60) i, generate_series(1, 900) j) q');
is(scalar(grep { !/^[-\d.e+]+$/ || $_ < $before_writes || $_ > $after_writes } @meanwhile), 0, 'medians meanwhile')
  or diag "$before_writes, $after_writes: @meanwhile";
$writer->quit;
is(sprintf('%.13g', outcome($analyst, 'SELECT idp_median(u, 1e30) FROM ranked_hashed')),
	sprintf('%.13g', $after_writes), 'and the one after');

# Whoever writes sees its own rows: in a function, a DO block and a transaction block, whichever connections wrote.
$owner->value(q[CREATE FUNCTION write_and_ask(bigint) RETURNS bigint LANGUAGE plpgsql AS $f$ DECLARE n bigint; BEGIN ]
	  . q[INSERT INTO ranked_hashed (id) SELECT generate_series(2000001, 2000000 + $1); ]
	  . q[SELECT dp_count(1e30) INTO n FROM ranked_hashed; DELETE FROM ranked_hashed WHERE id > 2000000; ]
	  . q[RETURN n; END $f$]);
my $written = $owner->value('SELECT dp_count(1e30) FROM ranked_hashed');
foreach my $rows (1, 300)
{
	is($owner->value("SELECT write_and_ask($rows)"), $written + $rows, "a function that writes $rows rows, and asks");
	is($owner->value("BEGIN; SELECT write_and_ask($rows)"), $written + $rows, "and in a block");
	$owner->run('ROLLBACK');
	my $said = $owner->run("DO \$\$ BEGIN RAISE EXCEPTION 'counted %', write_and_ask($rows); END \$\$");
	is($said->{message}, 'counted ' . ($written + $rows), 'and in a DO block');
}
is($owner->value('SELECT dp_count(1e30) FROM ranked_hashed'), $written, 'and what is left');

# A control: the comparison sees rows that are others.
isnt(exact_outcome($analyst, 'SELECT idp_median(u, 1e30) FROM %T', 'ranked_hashed'),
	exact_outcome($analyst, 'SELECT idp_median(u, 1e30) FROM %T', 'ranked'), 'rows that differ give another median');
foreach my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	$analyst->value("BEGIN ISOLATION LEVEL $level");
	is(exact_outcome($analyst, 'SELECT idp_median(o, 1e30) FROM %T', 'ranked_single'),
		exact_outcome($analyst, 'SELECT idp_median(o, 1e30) FROM %T', 'ranked'), "$level");
	$analyst->run('ROLLBACK');
}
my $cancelled = $analyst->run(q[SET statement_timeout = '15ms'; SELECT idp_quantile(u, 1e30, 0.3) FROM ranked_hashed]);
$analyst->run('RESET statement_timeout');
like($cancelled->{message} // 'answered', qr/^canceling statement due to statement timeout|^answered/, 'a timeout');
unlike($cancelled->{err} // '', qr/array_agg|SQL statement/, 'tells nothing of what was asked');

# --- code of others that runs while rows are asked for --------------------------------------------

$owner->value('RESET ROLE; GRANT CREATE ON DATABASE postgres TO analyst; SET ROLE keeper');
$analyst->value(<<'SQL');
CREATE SCHEMA mine;
CREATE FUNCTION mine.chk(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE DOMAIN mine.dom AS int CHECK (mine.chk(value)); CREATE DOMAIN mine.open AS int;
CREATE TABLE mine.tt (id int, y mine.dom, z mine.open); INSERT INTO mine.tt VALUES (1, 2, 3);
SELECT create_distributed_table('mine.tt', 'id'); SELECT idp.protect('mine.tt', 1e6);
CREATE OR REPLACE FUNCTION mine.chk(int) RETURNS boolean LANGUAGE plpgsql AS $$DECLARE r record;
BEGIN FOR r IN SELECT id, x FROM public.alone ORDER BY id LIMIT 3 LOOP RAISE WARNING 'seen %', r;
  END LOOP; RETURN true; END$$;
SQL
my $seen = $analyst->run('SET client_min_messages = warning; SELECT dp_count(1000) FROM mine.tt WHERE y::int % 2 = 0; '
	  . 'SET client_min_messages = error');
like($seen->{message} // $seen->{out},
	qr/^column y of table "tt", whose rows lie in other servers, is of type mine\.dom, which private answers cannot read there/,
	'a domain whose check is a function of somebody');
unlike($seen->{err} // '', qr/seen/, 'which sees nothing');
is(outcome($analyst, 'SELECT dp_count(1000) FROM mine.tt WHERE z::int % 2 = 1'), 1, 'one without checks');
$analyst->value('DROP SCHEMA mine CASCADE');

# --- shards that move, rows that change, sessions that race ---------------------------------------

my $super = session($coordinator);
$super->value('SET client_min_messages = error');
my $count = sub { return outcome($analyst, 'SELECT dp_count(1000 + ' . rand() . ') FROM hashed') };
is($count->(), 600, 'before a shard moves');
$super->value(
	q[SELECT citus_move_shard_placement(shardid, p.nodename, p.nodeport::int, n.nodename, n.nodeport, 'block_writes')
	  FROM (SELECT * FROM pg_dist_shard_placement
	    WHERE shardid = (SELECT min(shardid) FROM pg_dist_shard WHERE logicalrelid = 'hashed'::regclass)) p,
	    pg_dist_node n WHERE n.nodeport <> p.nodeport AND groupid > 0]);
is($count->(), 600, 'after it has moved');
$owner->value(q[INSERT INTO hashed SELECT 1000 + i, 1, 'c1', 1, 1, 1, '2024-01-01' FROM generate_series(1, 7) i; ]
	  . q[UPDATE hashed SET x = 5 WHERE id = 1001; DELETE FROM hashed WHERE id = 1002]);
is($count->(), 606, 'rows that were written since');
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	$analyst->value("BEGIN ISOLATION LEVEL $level");
	my $r = $analyst->run('SELECT dp_count(1000.5) FROM hashed');
	$level eq 'SERIALIZABLE' ? like($r->{message} // 'answered',
		qr/hidden from role "analyst": ask in ISOLATION LEVEL REPEATABLE READ/,
		"$level: refused over hidden rows, as on one server") : is($r->{out}, 606, "$level: answered");
	$analyst->run('ROLLBACK');
}
$owner->value("CREATE TABLE last (id int); INSERT INTO last SELECT generate_series(1, 50); GRANT "
	. "SELECT ON last TO analyst; SELECT create_distributed_table('last', 'id'); SELECT idp.protect('last', 1)");
my @racing = map { my $s = session($coordinator); $s->value('SET client_min_messages = error; SET ROLE analyst'); $s }
  1 .. 4;
start_query($_, 'SELECT dp_count(0.3) FROM last') foreach @racing;
my @outcomes = map { finish_query($_)->{message} // 'answered' } @racing;
is(scalar(grep { $_ eq 'answered' } @outcomes), 3, 'four sessions ask for a third of a budget each: three are answered')
  or diag join "\n", @outcomes;
is($super->value("SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 'last'"), 0.9, 'and charged');
$_->quit foreach @racing;

# --- a worker that dies ---------------------------------------------------------------------------

my $before = spent($super, 'hashed');
$nodes[2]->stop('immediate');
my $asked = session($coordinator);
$asked->value('SET client_min_messages = error; SET ROLE analyst');
my $down = $asked->run('SELECT dp_count(3) FROM hashed');
like($down->{message} // 'answered', qr/connection|connect|server closed/,
	'a worker that is down: an error that says so');
is($super->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 'hashed'"), 3,
	'charged once, before it was asked');
$nodes[2]->start;
$asked->run('SELECT 1');
cmp_ok(abs($asked->run('SELECT dp_count(3) FROM hashed')->{out} - 606), '<', 30, 'and answered when it is back');
is($super->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 'hashed'"), 6,
	'charged for that');
$_->quit foreach $asked, $super;

$_->quit foreach $owner, $analyst;
$_->stop foreach @nodes;
done_testing();
