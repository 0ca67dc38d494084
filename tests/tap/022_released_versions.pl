# What released versions left behind. Each made a dump of a database full of data, states, budgets and
# releases, with its own library (tests/tap/released): it is restored into this version, and it is
# brought here in place by ALTER EXTENSION UPDATE. Answers, budgets and ledger are what they were, and
# go on from there; and the extension is the one that CREATE EXTENSION makes.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename qw(basename);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest qw(spent);
use Test::More;

my $node = new_node('released', 'bare');
$node->safe_psql('postgres', 'CREATE ROLE analyst; CREATE ROLE clerk');    # a dump has none
my $dir = abs_path($node->basedir);

sub create
{
	my ($database, $extension) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $extension) if $extension;
	return;
}

sub load
{
	my ($database, $file, $name) = @_;
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $file ], $name);
	return session($node, $database);
}

sub version { return $_[0]->value("SELECT extversion FROM pg_extension WHERE extname = 'idp'") }

# Four tests: the answers that the old version gave are given again, those of releases at no cost.
sub answers_stay
{
	my ($session, $ledger, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	# whose columns that had before 0.4.0
	$session->value("UPDATE kept SET query = replace(query, 'idp.budget', 'idp.protection') "
		  . "WHERE to_regclass('idp.protection') IS NOT NULL");
	# and which had functions by number
	$session->value("UPDATE kept SET query = replace(query, 'function::text', 'function::regprocedure::text') "
		  . "WHERE name = 'persons: trusted' AND query NOT LIKE '%regprocedure%'");
	cmp_ok($session->value('SELECT count(*) FROM kept'), '>', $ledger ? 140 : 95,
		"$name: there are answers to compare");
	my $wrong = "SELECT name, answer, answer_of(query) FROM kept WHERE %s AND answer_of(query) IS DISTINCT FROM answer";
	my $accounts = "name IN ('budgets', 'ledger', 'releases')";
	is($session->value(sprintf $wrong, "NOT $accounts"), '', "$name: they are given again");
	is($session->value(sprintf $wrong, $accounts), '', "$name: which costs nothing, and changes no release");
	is($session->value("SELECT answer_of(query) FROM kept WHERE name = 'state: medians'"), '("{1,4,6,9,NULL}")',
		"$name: and are right");
	return;
}

# Budgets and releases of the old version are used as those of this one are.
sub ledger_goes_on
{
	my ($session, $older, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $half = $session->value("SELECT answer FROM kept WHERE name = 'release: count at {0.5}'");

	my $before = spent($session, 'staff');
	is($session->value("SELECT idp.relax('count', 50)"), 99, "$name: a release is refined");
	is(spent($session, 'staff') - $before, '49.5', "$name: at the difference");
	is('(' . $session->value("SELECT idp.relax('count', 0.5)") . ')', $half, "$name: what was given stays");

	$before = spent($session, 'staff');
	is($session->value("SELECT abs(dp_count(10, 'again') - 99) < 10 FROM staff"), 't',
		"$name: one to be begun again begins");
	is(spent($session, 'staff') - $before, 10, "$name: in full");

	like($session->run('SELECT dp_count(90) FROM staff')->{message}, qr/budget of table "staff" is exhausted/,
		"$name: the budget holds");
	like($session->run('SELECT dp_count(0.0001) FROM staff')->{message}, qr/below the minimum/,
		"$name: so does the least epsilon");
	$session->value("SELECT idp.protect('staff', 100), idp.protect('parts', 100)");
	my $rows = "SELECT string_agg(DISTINCT rows, ' ') || ' ' || (SELECT count(*) > 0 FROM pg_policy) "
	  . "FROM idp.protection";
	is($session->value($rows), $older ? 'visible false' : 'hidden visible true',
		"$name: rows are as hidden as they were, also where a budget is set anew");
	$before = spent($session, 'parts');
	is($session->value('SELECT dp_count(0.1) IS NOT NULL FROM part1'), 't', "$name: a partition is protected");
	is(spent($session, 'parts') - $before, '0.1', "$name: by its table");
	is($session->value('SELECT dp_count(1000) FROM left_alone'), 99, "$name: one that was left alone is not");
	is($session->value("SELECT trim_scale(spent) FROM idp.protection WHERE table_name = 'left_alone'"), '0.1',
		"$name: nor charged");

	is($session->value("SELECT idp.relax('gone', 40)"), 99, "$name: a release of a dropped table is refined");
	$session->value('CREATE TABLE gone AS TABLE staff');
	$session->value('SELECT dp_count(1) FROM gone');
	is($session->value("SELECT trim_scale(spent) FROM idp.budget WHERE table_name LIKE '%gone'"), '41.1',
		"$name: its account waited for a table of its name");
	$session->value('DROP TABLE staff CASCADE');
	is($session->value("SELECT spent > 60 FROM idp.budget WHERE table_name = 'public.staff'"), 't',
		"$name: dropping a table is noticed");
	return;
}

# Units, hidden rows, domains, budgets of partitions and what others were given hold as they did, for
# whoever reads nothing but answers.
sub persons_go_on
{
	my ($session, $database, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$session->value('CREATE TABLE returns (id int PRIMARY KEY, item int NOT NULL REFERENCES items)');
	$session->value("CREATE TABLE parcels_4 PARTITION OF parcels FOR VALUES FROM ('2026-04-01') TO ('2026-05-01')");
	$session->value("CREATE TABLE parcels_5 PARTITION OF parcels FOR VALUES FROM ('2026-05-01') TO ('2026-06-01')");
	$session->value('GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst, clerk');
	my ($analyst, $clerk) = map { my $s = session($node, $database); $s->value("SET ROLE $_"); $s } 'analyst', 'clerk';

	my @hidden = qw(customers orders items returns staff parcels parcels_1 parcels_2 parcels_2_0 parcels_2_1 parcels_3
		parcels_4 parcels_5);
	is(join(' ', grep { ($analyst->run("SELECT * FROM $_")->{sqlstate} // '') ne '42501' } @hidden), '',
		"$name: rows that were hidden are");
	is(join(' ', map { $analyst->value("SELECT count(*) FROM $_") } qw(visits readings left_alone)), '45 60 99',
		"$name: others are not");
	is($session->value("SELECT string_agg(rows, ' ') FROM idp.protection WHERE table_name ~ '^(customers|parcels)'"),
		join(' ', ('hidden') x 8), "$name: as idp.protection shows");

	my $before = spent($session, 'customers');
	is($analyst->value("SELECT string_agg(nation || ' ' || c, ', ' ORDER BY nation) "
		  . "FROM (SELECT nation, dp_count(1000) AS c FROM customers GROUP BY nation) n"),
		'0 22, 1 23, 2 23, 3 22, 4 0', "$name: groups are those of a domain");
	is($analyst->value("SELECT string_agg(c::text, ' ' ORDER BY segment) FROM (SELECT segment, dp_count(1000) AS c "
		  . "FROM customers GROUP BY segment) n"), '0 45 45', "$name: of texts, too");
	is($analyst->value('SELECT count(*), sum(c) FROM (SELECT born, dp_count(1000) AS c '
		  . 'FROM customers GROUP BY born) n'), '91|90', "$name: and between bounds");
	is($analyst->value('SELECT dp_count(1000) FROM (SELECT *, row_number() OVER (PARTITION BY customer '
		  . 'ORDER BY id) AS r FROM orders) o WHERE r <= 3'), 270, "$name: rows of a unit are counted along a link");
	is($analyst->value('SELECT dp_count(1000) FROM (SELECT customer FROM orders o JOIN items i ON i."order" = o.id '
		  . 'GROUP BY customer) c'), 90, "$name: and along two");
	is($session->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 'customers'"), 7000,
		"$name: at what they cost");
	like($analyst->run('SELECT dp_count(1) FROM returns')->{message}, qr/name of a linked one that was dropped/,
		"$name: returns were made again");
	$session->value("SELECT idp.link('returns', 'item', 'items', forget => true)");
	like($analyst->run("SELECT dp_count(1) FROM $_")->{message}, qr/rows of which one unit may have any number/,
		"$name: $_ belong to persons") foreach 'orders', 'items', 'returns';
	# a text that each session reads is trusted no more (CHANGELOG.md): written anew, it is without being
	# trusted once more
	is($analyst->run('SELECT dp_count(1000) FROM customers WHERE is_early(id)')->{sqlstate}, '42501',
		"$name: a function in PL/pgSQL that was trusted is not");
	$session->value('CREATE OR REPLACE FUNCTION is_early(int) RETURNS boolean IMMUTABLE SET search_path = pg_catalog, '
		  . 'pg_temp BEGIN ATOMIC SELECT $1 <= 30; END');
	is($analyst->value('SELECT dp_count(1000) FROM customers WHERE is_early(id)'), 30,
		"$name: ... but for one that is read when it is created");
	is($analyst->run('SELECT dp_count(1000) FROM customers WHERE is_late(id)')->{sqlstate}, '42501',
		"$name: another one is not");
	my $keep = 'SELECT nation FROM customers GROUP BY nation HAVING dp_keep_group(1, 0.00095)';
	is($analyst->run($keep)->{message}, 'delta of table "customers" is exhausted', "$name: delta is bounded");

	is('(' . $clerk->value("SELECT idp.read('customers')") . ')', $session->value("SELECT answer FROM kept "
		  . "WHERE name = 'persons: customers at {0.05}'"), "$name: what was shared is read");
	is($analyst->value("SELECT epsilon FROM idp.shared WHERE name = 'nations'"), '0.4', "$name: at its level");
	$clerk->value('SELECT dp_count(1.5) FROM customers');
	is($clerk->run('SELECT dp_count(1) FROM customers')->{message},
		'privacy budget of role "clerk" for table "customers" is exhausted', "$name: a role has its limit");

	my $shares = "SELECT string_agg(table_name || ' ' || trim_scale(spent), ', ' ORDER BY table_name) "
	  . "FROM idp.protection WHERE partition_of = 'parcels'";
	is($session->value($shares),
		'parcels_1 0.2, parcels_2_0 0.4, parcels_2_1 0.4, parcels_3 0.6, parcels_4 0.6, parcels_5 0',
		"$name: partitions have what they spent");
	is($analyst->value("SELECT dp_count(1000) FROM parcels "
		  . "WHERE day >= '2026-02-01' AND day < '2026-03-01' AND depot = 1"), 56, "$name: a partition of a partition");
	is($analyst->value('SELECT dp_count(500) FROM parcels_3'), 124, "$name: one that was detached");
	is($session->value($shares),
		'parcels_1 0.2, parcels_2_0 0.4, parcels_2_1 2000.4, parcels_3 1000.6, parcels_4 0.6, parcels_5 0',
		"$name: pay for themselves");

	$before = spent($session, 'readings');
	is($before, 1, "$name: a period goes on");
	$analyst->value('SELECT dp_count(10) FROM readings');
	is(spent($session, 'readings'), 11, "$name: with what was spent in it");
	is($session->value("SELECT renews_at = timestamptz '2101-01-01 UTC' FROM idp.budget WHERE table_name = 'readings'"),
		't', "$name: to its end");
	$_->quit foreach $analyst, $clerk;
	return;
}

# All that belongs to the extension, each object in a line with all its properties.
my $members = <<'SQL';
WITH member AS (
  SELECT classid, objid FROM pg_depend
  WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension
    WHERE extname = 'idp'))
SELECT pg_describe_object(classid, objid, 0) || ': ' || coalesce(obj_description(objid, classid::regclass::name),
  'no comment') FROM member
UNION ALL SELECT concat_ws(' ', oid::regprocedure, prosrc, probin, provolatile, proparallel, proisstrict, prosecdef,
    proleakproof, proretset,
    procost, proconfig, proacl, prorettype::regtype, proargnames, proargmodes, pg_get_expr(proargdefaults, 0))
  FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
UNION ALL SELECT concat_ws(' ', aggfnoid::regprocedure, aggtransfn, aggfinalfn, aggcombinefn, aggfinalmodify,
  aggtransspace, aggtranstype::regtype, agginitval)
  FROM pg_aggregate JOIN member ON objid = aggfnoid AND classid = 'pg_proc'::regclass
UNION ALL SELECT concat_ws(' ', oid::regtype, typinput, typoutput, typreceive, typsend, typlen, typalign, typstorage,
  typcategory, typispreferred, typacl)
  FROM pg_type JOIN member ON objid = oid AND classid = 'pg_type'::regclass
UNION ALL SELECT concat_ws(' ', castsource::regtype, casttarget::regtype, castfunc::regprocedure,
  castcontext, castmethod)
  FROM pg_cast JOIN member ON objid = oid AND classid = 'pg_cast'::regclass
UNION ALL SELECT concat_ws(' ', nspname, nspacl) FROM pg_namespace
  JOIN member ON objid = oid AND classid = 'pg_namespace'::regclass
UNION ALL SELECT concat_ws(' ', evtname, evtevent, evtfoid::regproc, evtenabled, evttags)
  FROM pg_event_trigger JOIN member ON objid = oid AND classid = 'pg_event_trigger'::regclass
UNION ALL SELECT concat_ws(' ', oid::regclass, relkind, relpersistence, relacl, reloptions, relrowsecurity,
  CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) END)
  FROM pg_class JOIN member ON objid = oid AND classid = 'pg_class'::regclass
UNION ALL SELECT concat_ws(' ', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
    attstorage, attcollation::regcollation,
    attacl, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum))
  FROM pg_attribute JOIN member ON objid = attrelid AND classid = 'pg_class'::regclass
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT concat_ws(' ', indrelid::regclass, indisunique, indisprimary, indisvalid, pg_get_indexdef(indexrelid))
  FROM pg_index JOIN member ON objid = indrelid AND classid = 'pg_class'::regclass
UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint JOIN member ON objid = conrelid AND classid = 'pg_class'::regclass
UNION ALL SELECT concat_ws(' ', tgrelid::regclass, pg_get_triggerdef(oid))
  FROM pg_trigger JOIN member ON objid = tgrelid AND classid = 'pg_class'::regclass WHERE NOT tgisinternal
UNION ALL SELECT concat_ws(' ', 'dumped', c::regclass, w) FROM pg_extension, unnest(extconfig, extcondition) d (c, w)
  WHERE extname = 'idp'
UNION ALL SELECT concat_ws(' ', 'privileges', pg_describe_object(p.classoid, p.objoid, p.objsubid), initprivs)
  FROM pg_init_privs p JOIN member m ON m.objid = p.objoid AND m.classid = p.classoid
SQL

# The lines that only one of two lists has.
sub difference
{
	my ($upgraded, $new) = @_;
	my %count;
	$count{"upgraded: $_"}++ foreach split /\n/, $upgraded;
	foreach (split /\n/, $new)
	{
		if ($count{"upgraded: $_"}) { $count{"upgraded: $_"}-- }
		else { $count{"new: $_"}++ }
	}
	return join "\n", sort grep { $count{$_} } keys %count;
}

create('fresh', 'CREATE EXTENSION idp');
my $fresh = session($node, 'fresh');
my $current = version($fresh);
my $new = $fresh->value($members);
cmp_ok(scalar(split /\n/, $new), '>', 1000, 'there are members to compare');
$fresh->quit;

my %dumps = map { basename($_, '.sql') => $_ } glob "$FindBin::RealBin/released/[0-9]*.sql";
is($node->safe_psql('postgres', "SELECT string_agg(DISTINCT source, ' ' ORDER BY source) "
	  . "FROM pg_extension_update_paths('idp') WHERE source <> '$current'"),
	join(' ', sort keys %dumps), 'every version that can be upgraded left a dump');

foreach my $old (sort keys %dumps)
{
	my $ledger = $old ne '0.1.0';
	my $older = $old =~ /^0\.[12]\./;    # the tables of the ledger had fewer columns
	my $persons = $ledger && !$older;
	my $id = $old =~ s/\./_/gr;

	# restored into this version
	create("restored_$id");
	my $s = load("restored_$id", $dumps{$old}, "$old: its dump is restored");
	is(version($s), $current, "$old: into this version");
	answers_stay($s, $ledger, "$old, restored");
	persons_go_on($s, "restored_$id", "$old, restored") if $persons;
	ledger_goes_on($s, $older, "$old, restored") if $ledger;
	$s->quit;

	# upgraded in place: first this library with the objects of the old version, then step by step
	create("upgraded_$id", "CREATE EXTENSION idp VERSION '$old'");
	$s = load("upgraded_$id", $dumps{$old}, "$old: its data");
	is(version($s), $old, "$old: with its objects");
	if ($ledger && $older)
	{
		# a release is not asked for before its table has the columns of this version
		my $r = $s->run(q[SELECT idp.relax('median wage', 0.1)]);
		is("$r->{sqlstate} $r->{hint}", '55000 Run ALTER EXTENSION idp UPDATE.',
			"$old, this library: releases wait for the update");
		is($s->value("SELECT answer_of(query) FROM kept WHERE name = 'state: medians'"), '("{1,4,6,9,NULL}")',
			"$old, this library: states do not");
	}
	else
	{
		answers_stay($s, $ledger, "$old, this library");
	}
	my ($steps) =
	  $s->value("SELECT path FROM pg_extension_update_paths('idp') WHERE source = '$old' AND target = '$current'");
	foreach my $step (split /--/, $steps =~ s/^\Q$old\E--//r)
	{
		$s->value("ALTER EXTENSION idp UPDATE TO '$step'");
		is(version($s), $step, "$old: upgraded to $step");
		answers_stay($s, $ledger, "$old, upgraded to $step");
	}
	is(difference($s->value($members), $new), '', "$old, upgraded: the extension is that of a new database");
	$s->quit;
	$s = session($node, "upgraded_$id");
	answers_stay($s, $ledger, "$old, upgraded, in a new session");

	# dumped again, and restored from there
	$node->command_ok([ 'pg_dump', '-f', "$dir/$id.sql", $node->connstr("upgraded_$id") ], "$old, upgraded: pg_dump");
	create("again_$id");
	my $again = load("again_$id", "$dir/$id.sql", "$old, upgraded: restored from there");
	answers_stay($again, $ledger, "$old, dumped again");
	persons_go_on($s, "upgraded_$id", "$old, upgraded") if $persons;
	persons_go_on($again, "again_$id", "$old, dumped again") if $persons;
	foreach ($s, $again)
	{
		ledger_goes_on($_, $older, "$old, upgraded") if $ledger;
		$_->alive("$old, at the end");
		$_->quit;
	}
}

$node->stop;
done_testing();
