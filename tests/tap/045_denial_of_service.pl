# What an ordinary role can do to others without spending what they would notice: locks that it
# leaves behind, charges without number, names and levels that it takes. Nobody else waits for it, pays
# for it, or goes without an answer.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use MemoryTest;
use Test::More;

my $node = new_node('denial_of_service', "session_preload_libraries = 'idp'", "jit = off\nrestart_after_crash = on");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE anna; CREATE ROLE berta; CREATE ROLE mallory; CREATE ROLE analysts ROLE anna, berta, mallory;
GRANT CREATE ON SCHEMA public TO anna, berta, mallory;
SQL
my %as = map { my $session = session($node); $session->value("SET ROLE $_; SET lock_timeout = '2s'"); $_ => $session }
  qw(anna berta mallory);
sub fails_not
{
	my ($session, $sql, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is($session->run($sql)->{message}, undef, $name);
}

subtest 'a limit of a role, in a transaction that stays open' => sub {
	foreach my $role (qw(mallory berta))
	{
		$as{$role}->value("CREATE TABLE limits_of_$role AS SELECT 1 AS x; SELECT idp.protect('limits_of_$role', 10)");
	}
	$as{mallory}->value("BEGIN; SELECT idp.limit_role('limits_of_mallory', 'anna', 1)");
	fails_not($as{berta}, "SELECT idp.limit_role('limits_of_berta', 'anna', 2)", 'the owner of another table sets one');
	fails_not($as{berta}, "SELECT idp.limit_role('limits_of_berta', 'anna', NULL)", '... and ends it');
	# of one account they wait: the second replaces the first
	$s->start("SELECT idp.limit_role('limits_of_mallory', 'anna', 3)");
	wait_until($as{anna}, "EXISTS (SELECT FROM pg_locks WHERE pid = $s->{pid} AND NOT granted)");
	$as{mallory}->value('COMMIT');
	is($s->finish->{message}, undef, 'for the same account one waits for the other');
	is($s->value('SELECT role, budget FROM idp.role_limit'), 'anna|3', '... and is the last word');
};

# --- Charges without number ------------------------------------------------------------------------

# What the server reads of the extension's tables for a query of a role: rows of indexes and others.
sub rows_read
{
	my ($role, $query) = @_;
	my $session = session($node);
	$session->value("BEGIN; SET LOCAL ROLE $role; $query");
	my $rows = $session->value("RESET ROLE; SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) "
		  . "FROM pg_stat_xact_user_tables WHERE schemaname = 'idp'");
	$session->quit;
	return $rows;
}

# Charges of 1e-12 as that many queries leave them, those of two sessions in turn, over two years.
sub many_charges
{
	my ($count) = @_;
	my $has_totals = $s->value("SELECT count(*) FROM pg_attribute "
		  . "WHERE attrelid = 'idp.charge'::regclass AND attname = 'asker_spent'");
	$s->value(<<SQL);
TRUNCATE idp.charge;
INSERT INTO idp.charge (account, entry, at, role, aggregate, epsilon, spent, outer_role, session_role,
  family, family_epsilon)
SELECT a.id, i, now() - interval '2 years' / $count * ($count - i), asker, 'dp_count', 1e-12, i * 1e-12, asker, asker,
  (SELECT family FROM idp.chain WHERE name = 'refined'), 1e-12
FROM idp.account a, generate_series(1, $count) i,
  LATERAL (SELECT CASE i % 2 WHEN 0 THEN 'mallory' ELSE 'berta' END) r (asker)
SQL
	$s->value(<<'SQL') if $has_totals;
UPDATE idp.charge c SET asker_spent = t.total
FROM (SELECT account, entry, sum(epsilon) OVER (PARTITION BY account, asker ORDER BY entry) AS total FROM idp.charge) t
WHERE t.account = c.account AND t.entry = c.entry
SQL
	$s->value('VACUUM ANALYZE idp.charge');
	return;
}

subtest 'charges without number' => sub {
	$s->value(<<'SQL');
TRUNCATE idp.account, idp.role_limit, idp.charge;
CREATE TABLE plain AS SELECT 1 AS x; SELECT idp.protect('plain', 1e9);
CREATE TABLE renewed AS SELECT 1 AS x; SELECT idp.protect('renewed', 1e9, renew => '1 month');
CREATE TABLE parted (x int) PARTITION BY LIST (x); CREATE TABLE part1 PARTITION OF parted FOR VALUES IN (1);
SELECT idp.protect('parted', 1e9, per => 'partition');
CREATE TABLE limited AS SELECT 1 AS x; SELECT idp.protect('limited', 1e9), idp.limit_role('limited', 'mallory', 1e6);
GRANT SELECT ON plain, renewed, parted, limited TO analysts;
SQL
	$s->value("SELECT idp.limit_role('$_', 'analysts', 1e6)") foreach qw(limited renewed parted);
	$as{mallory}->value("SELECT dp_count(1e-12, 'refined') FROM limited");
	my @tables = qw(plain renewed parted limited);
	my (%few, %many);
	foreach my $round ([ \%few, 1000, '2e-12' ], [ \%many, 32000, '3e-12' ])
	{
		my ($read, $count, $epsilon) = @$round;
		many_charges($count);
		$read->{"dp_count over $_"} = rows_read('mallory', "SELECT dp_count(1e-12) FROM $_") foreach @tables;
		$read->{'a release that is refined'} = rows_read('mallory', "SELECT idp.relax('refined', $epsilon)");
	}
	foreach my $case (sort keys %few)
	{
		# 32 times as many: five more steps of a search for the beginning of a period
		cmp_ok($many{$case}, '<=', $few{$case} + 6,
			"$case: $few{$case} rows of the ledger are read of a thousand charges, $many{$case} of 32 thousand");
	}
};

subtest 'totals of who asks' => sub {
	$s->value(<<'SQL');
TRUNCATE idp.account, idp.role_limit, idp.charge, idp.chain, idp.chain_level;
SELECT idp.protect('plain', 1e9), idp.protect('renewed', 1e9, renew => '1 month');
CREATE FUNCTION of_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = public, pg_temp AS 'SELECT dp_count(0.003) FROM plain';
SQL
	# random charges of five askers at once, some of which are rolled back, until the server is killed
	my $at_random = sub {
		my ($loops) = @_;
		return <<SQL;
DO \$\$ BEGIN FOR i IN 1 .. $loops LOOP BEGIN
EXECUTE format(CASE (random() * 4)::int WHEN 0 THEN 'SELECT of_owner()' WHEN 1 THEN 'SELECT dp_count(%s, %L) FROM plain'
  WHEN 2 THEN 'SELECT dp_count(%s) FROM renewed'
  ELSE 'SELECT dp_count(%s), dp_sum(x, 1e-17, 0, 1) FROM plain' END, (random() * 1e-3 + 1e-9)::float4,
  (random() * 1e6)::int);
IF random() < 0.3 THEN RAISE EXCEPTION 'never mind'; END IF; EXCEPTION WHEN raise_exception THEN NULL;
END; END LOOP; END \$\$
SQL
	};
	my $askers = sub {
		my @sessions = map { session($node) } 1 .. 5;
		$sessions[$_]->value(('SET SESSION AUTHORIZATION mallory', 'SET ROLE berta',
			'SET SESSION AUTHORIZATION berta; SET ROLE analysts', 'SET ROLE anna', 'SELECT')[$_]) foreach 0 .. 4;
		return @sessions
	};
	my $totals = q[SELECT count(*), count(*) FILTER (WHERE asker_spent = total), count(DISTINCT asker) ]
	  . q[FROM (SELECT *, sum(epsilon) OVER (PARTITION BY account, role, outer_role, session_role ]
	  . q[ORDER BY entry) AS total FROM idp.charge) t];
	foreach my $round (1 .. 3)
	{
		my @at_work = $askers->();
		my $killed = $at_work[0]{pid};
		$_->start($at_random->(100000)) foreach @at_work;
		select undef, undef, undef, 0.7;
		ok(kill_process($node, $killed), "round $round: the server was killed");
		eval { $_->quit } foreach @at_work;
		$s = session($node);
		@at_work = $askers->();
		$_->start($at_random->(100)) foreach @at_work;
		is($_->finish->{message}, undef, "round $round: it goes on") foreach @at_work;
		$_->quit foreach @at_work;
		my ($all, $right, $different) = split /\|/, $s->value($totals);
		is($right, $all, "round $round: each of $all charges has the total of its asker");
		cmp_ok($different, '>=', 5, 'of several askers');
		sound($s, "round $round");
	}
	# what a limit counts
	foreach my $limit ([ 'mallory', "session_role = 'mallory'" ], [ 'analysts',
		"role IN ('anna', 'berta', 'mallory', 'analysts') OR outer_role IN ('anna', 'berta', 'mallory', "
		. "'analysts') OR session_role IN ('berta', 'mallory')" ])
	{
		my ($role, $condition) = @$limit;
		my $spent = $s->value("SELECT trim_scale(sum(c.epsilon)) FROM idp.charge c "
			  . "JOIN idp.account a ON a.id = c.account WHERE a.name = 'public.plain' AND ($condition)");
		$s->value("GRANT SELECT ON plain TO analysts; SELECT idp.limit_role('plain', '$role', $spent)");
		my $asker = session($node);
		$asker->value('SET SESSION AUTHORIZATION mallory');
		like($asker->run('SELECT dp_count(0.125) FROM plain')->{detail},
			qr/^The query needs 0.125; 0 of \Q$spent\E remains/,
			"a limit of $role counts what its members were charged: $spent");
		$asker->quit;
		$s->value("SELECT idp.limit_role('plain', '$role', NULL)");
	}
	# of a dump of an earlier version, in part
	my $before = $s->value("UPDATE idp.charge SET asker_spent = NULL WHERE entry % 3 > 0; "
		  . "SELECT sum(epsilon) FROM idp.charge WHERE account = 1 AND session_role = 'mallory'");
	$s->value("SELECT idp.limit_role('plain', 'mallory', $before)");
	my $asker = session($node);
	$asker->value('SET SESSION AUTHORIZATION mallory');
	like($asker->run('SELECT dp_count(0.125) FROM plain')->{detail}, qr/^The query needs 0.125; 0 of/,
		'charges without totals count');
	$asker->value("SELECT dp_count(0.125) FROM renewed");
	is($s->value("SELECT asker_spent = (SELECT sum(epsilon) FROM idp.charge WHERE account = c.account "
		  . "AND asker = c.asker) FROM idp.charge c ORDER BY at DESC LIMIT 1"), 't', 'and are in the next total');
	$asker->quit;
};

subtest 'totals of an extension that is updated' => sub {
	$node->safe_psql('postgres', 'CREATE DATABASE older TEMPLATE template0');
	$node->safe_psql('older', "CREATE EXTENSION idp VERSION '0.3.0'");
	my ($o, $asker) = map { session($node, 'older') } 1, 2;
	$o->value("CREATE TABLE kept AS SELECT 1 AS x; SELECT idp.protect('kept', 1e9), "
		  . "idp.limit_role('kept', 'mallory', 1); GRANT SELECT ON kept TO mallory, berta");
	my $refused = sub {
		my ($remains) = @_;
		return like($asker->run('SELECT dp_count(0.75) FROM kept')->{detail},
			qr/^The query needs 0.75; $remains of 1 remains/, "$remains remains")
	};
	$asker->value('SET SESSION AUTHORIZATION mallory');
	$asker->value('SELECT dp_count(0.125) FROM kept') foreach 1, 2;
	$o->value('SELECT dp_count(8) FROM kept');
	$asker->value('SET ROLE NONE; SELECT dp_count(0.125) FROM kept');
	$refused->('0.625');
	$o->value('ALTER EXTENSION idp UPDATE');
	$refused->('0.625');
	is($o->value('SELECT string_agg(trim_scale(asker_spent)::text, $$ $$ ORDER BY entry) FROM idp.charge'),
		'0.125 0.25 8 0.375', 'charges of 0.3.0 have totals');
	$asker->value('SELECT dp_count(0.125) FROM kept');
	$refused->('0.5');
	$_->quit foreach $o, $asker;

	# dumped, restored
	my $dump = $node->basedir . '/older.sql';
	$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('older') ], 'dumped');
	$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', $dump ],
		'restored');
	($o, $asker) = map { session($node, 'restored') } 1, 2;
	$asker->value('SET SESSION AUTHORIZATION mallory');
	$refused->('0.5');
	is($o->value('SELECT string_agg(trim_scale(asker_spent)::text, $$ $$ ORDER BY entry) FROM idp.charge'),
		'0.125 0.25 8 0.375 0.5', 'with its totals');
	$_->quit foreach $o, $asker;
};

subtest 'levels of a release' => sub {
	$s->value(<<'SQL');
CREATE TABLE levels AS SELECT generate_series(1, 300) AS x; SELECT idp.protect('levels', 1000);
GRANT SELECT ON levels TO analysts;
SELECT dp_count(0.5, 'total') FROM levels;
CREATE ROLE reader; SELECT idp.share('total', 'reader', 0.1);
SQL
	$as{$_} = session($node), $as{$_}->value("SET ROLE $_") foreach qw(anna berta mallory reader);
	my $spent = spent($s, 'levels');
	is($as{mallory}->value("SELECT count(idp.relax('total', 0.5 + i * 1e-12)) FROM generate_series(1, 198) i"), 198,
		'somebody takes 198 levels');
	cmp_ok(spent($s, 'levels') - $spent, '<', 1e-9, '... for next to nothing');
	is($as{reader}->run("SELECT count(idp.relax('total', 0.1 - i * 1e-9)) FROM generate_series(1, 100) i")->{out}, 100,
		'a reader takes a hundred for nothing');
	# others do as if they were not there
	my %answers;
	foreach my $epsilon (0.6, 0.61, 0.7, 0.3, 0.2)
	{
		foreach my $role (qw(anna berta))
		{
			my $r = $as{$role}->run("SELECT idp.relax('total', $epsilon)");
			like($r->{out}, qr/^-?\d+$/, "$role at $epsilon: honest refinement goes on") or diag $r->{err};
			is($r->{out}, $answers{$epsilon} //= $r->{out}, '... and gives everybody one answer');
		}
	}
	is($s->value('SELECT idp.relax(\'total\', 0.7)'), $answers{'0.7'}, 'which stays');
	fails_not($as{mallory}, "SELECT idp.relax('total', 0.700000001), idp.relax('total', 0.700000002)",
		'two steps more');
	like($as{mallory}->run("SELECT idp.relax('total', 0.700000003)")->{message},
		qr/^role "mallory" has drawn too many levels of release "total"/, '... and no more');
	fails_not($s, "SELECT idp.share('total', 'reader', $_)", "so does the owner's sharing, at $_")
	  foreach 0.04, 0.45, 0.8;
	like($as{berta}->run("SELECT dp_count(0.9, 'total') FROM levels")->{out}, qr/^-?\d+$/,
		'and a query that asks for a finer answer');
	is(spent($s, 'levels'), '0.9', 'at the largest epsilon');
	is($s->value('SELECT count(*) - count(DISTINCT epsilons) FROM idp.chain_level l '
		  . 'JOIN idp.chain c ON c.id = l.chain AND c.name = \'total\''), 0, 'no level was drawn twice');
	$_->quit foreach @as{qw(anna berta mallory reader)};
};

subtest 'what is dropped, in a transaction that stays open' => sub {
	$as{mallory} = session($node);
	$as{mallory}->value('SET ROLE mallory');
	my @tables = split /\n/, $s->value("SELECT oid::regclass FROM pg_class "
		  . "WHERE relnamespace = 'idp'::regnamespace AND relkind = 'r' ORDER BY 1");
	cmp_ok(scalar @tables, '>', 8, 'there are tables of the extension');
	foreach my $statement ('CREATE TABLE passing (x int PRIMARY KEY, y text, z serial); DROP TABLE passing',
		'CREATE TEMP TABLE passing (x int); DROP TABLE passing',
		'CREATE TABLE passing (x int) PARTITION BY LIST (x); CREATE TABLE passing1 PARTITION OF passing DEFAULT; '
		  . 'DROP TABLE passing', 'CREATE VIEW passing AS SELECT 1; DROP VIEW passing',
		'CREATE FUNCTION passing() RETURNS int LANGUAGE sql AS $$SELECT 1$$; DROP FUNCTION passing()',
		'SELECT dp_count(1e-9) FROM levels')
	{
		$as{mallory}->value("BEGIN; $statement");
		is($s->run("SET lock_timeout = '1s'; REINDEX TABLE $_")->{message}, undef,
			"$statement: REINDEX TABLE $_ does not wait") foreach @tables;
		$as{mallory}->value('ROLLBACK');
	}
	# what had rows is forgotten all the same
	$s->value(<<'SQL');
RESET lock_timeout; CREATE TABLE known (x int); SELECT idp.set_domain('known', 'x', 1, 9);
SELECT dp_count(1, 'of known') FROM known;
CREATE FUNCTION known() RETURNS int IMMUTABLE SET search_path = pg_catalog, pg_temp RETURN 1;
SELECT idp.trust_function('known()');
DROP TABLE known; DROP FUNCTION known();
SQL
	is($s->value("SELECT relation IS NULL, table_name FROM idp.chain WHERE name = 'of known'"), 't|public.known',
		'a release of a dropped table keeps its name');
	is($s->value('SELECT (SELECT count(*) FROM idp.domain) + (SELECT count(*) FROM idp.trusted_function)'), 0,
		'... and its domains go, as does trust in functions');
	$as{mallory}->quit;
};

subtest 'a name that somebody else has taken' => sub {
	$as{$_} = session($node), $as{$_}->value("SET ROLE $_") foreach qw(anna berta mallory);
	$as{anna}->value(<<'SQL');
CREATE TABLE depts AS SELECT 'd' || i % 3 AS dept, i AS x FROM generate_series(1, 300) i;
SELECT idp.protect('depts', 100000, rows => 'visible'); GRANT SELECT ON depts TO analysts;
SQL
	my $groups = 'SELECT dept, dp_count(1000, %s) FROM depts GROUP BY dept ORDER BY dept';
	my $all = "d0|100\nd1|100\nd2|100";
	$as{mallory}->value("SELECT dp_count(1e-9, 'of d1') FROM depts WHERE x < 5");
	is($as{anna}->run(sprintf $groups, "'of ' || dept")->{out}, $all, 'the owner has the answers of all her groups');
	is($as{berta}->run(sprintf $groups, "'of ' || dept")->{out}, $all, 'so has who asks the same');
	is($s->value("SELECT count(*), count(DISTINCT role) FROM idp.chain WHERE name LIKE 'of d%'"), '4|2',
		'... of the same releases');
	costs($s, 'depts', 0, 'both again',
		sub { $as{$_}->value(sprintf $groups, "'of ' || dept") foreach qw(anna berta) });
	my $small = $as{mallory}->value("SELECT idp.relax('of d1', 1e-9)");
	is($as{mallory}->value("SELECT dp_count(1e-9, 'of d1') FROM depts WHERE x < 5"), $small,
		'a name of her own stays hers');
	like($as{mallory}->run("SELECT dp_count(1e-9, 'of d1') FROM depts WHERE x < 6")->{message},
		qr/^release "of d1" stands for another question/, '... for one question');
	# analysts among themselves, and names without groups
	$as{mallory}->value("SELECT dp_count(1e-9, 'by berta d2') FROM depts; SELECT dp_count(1e-9, 'headcount') "
		  . "FROM depts WHERE x < 5");
	is($as{berta}->run(sprintf $groups, "'by berta ' || dept")->{out}, $all,
		'an analyst has the answers of all her groups');
	is($as{berta}->run("SELECT dp_count(1000, 'headcount') FROM depts")->{out}, 300, 'and of a name without groups');
	my $by_whom = "SELECT string_agg(role, ' ' ORDER BY role) FROM idp.chain WHERE name = 'headcount'";
	is($as{anna}->run("SELECT dp_count(1000, 'headcount') FROM depts")->{out}, 300,
		'others who ask the same get that one');
	is($s->value($by_whom), 'berta mallory', '... which begins no other');
	is($as{anna}->run("SELECT dp_count(1000, 'headcount') FROM depts WHERE x > 100")->{out}, 200,
		'the owner asks something else');
	# which one is meant where no query tells
	is($as{berta}->run("SELECT idp.relax('headcount', 1000), "
		  . "idp.release_answer('headcount', relation => 'depts')")->{out}, '300|300', 'one of her own');
	is($s->value("SELECT idp.relax('headcount', 1000)"), 200, 'then the owner\'s');
	is($as{mallory}->value("SELECT idp.relax('headcount', 1e-9) = dp_count(1e-9, 'headcount')::text "
		  . "FROM depts WHERE x < 5"), 't', 'a stranger\'s for the stranger');
	$as{berta}->value("SELECT dp_count(1000, 'early') FROM depts WHERE x > 200");
	$as{mallory}->value("SELECT dp_count(1e-9, 'early') FROM depts WHERE x < 5");
	is($as{anna}->value("SELECT idp.release_answer('early')"), 100,
		'else the older one: nobody takes the place of another later');
	# refreshed: whoever asks first begins it anew, for everybody
	$as{berta}->value("SELECT dp_count(1000, 'refreshed') FROM depts WHERE x > 200");
	$as{anna}->value("SELECT idp.refresh('refreshed')");
	is($as{mallory}->value("SELECT dp_count(1000, 'refreshed') FROM depts WHERE x > 200"), 100,
		'a refreshed release begins anew with whoever asks');
	is($as{berta}->value("SELECT idp.relax('refreshed', 1000)"), 100, '... for who began it first as well');
	costs($s, 'depts', 0, 'asked again',
		sub { $as{berta}->value("SELECT dp_count(1000, 'refreshed') FROM depts WHERE x > 200") });
	$as{anna}->value("SELECT idp.drop_release('refreshed')");
	is($s->value("SELECT count(*) FROM idp.chain WHERE name = 'refreshed'"), 0, '... and goes as one');
	# at the same time: one release of one question
	my @at_once = map {
		my $session = session($node);
		$session->value('SET ROLE ' . (qw(anna berta mallory))[$_ % 3]);
		$session
	} 0 .. 5;
	foreach my $round (1 .. 10)
	{
		$_->start("SELECT dp_count(0.01, 'race $round') FROM depts") foreach @at_once;
		my %answers = map { $_->finish->{out} => 1 } @at_once;
		is(scalar(keys %answers) . ' ' . $s->value("SELECT count(*) FROM idp.chain WHERE name = 'race $round'"), '1 1',
			"round $round: one draw for three roles at once");
	}
	$_->quit foreach @at_once, @as{qw(anna berta mallory)};
};

# Each reads the one before twice: 2^n ways to the first.
subtest 'CTEs that read CTEs twice' => sub {
	$s = session($node);
	my $mallory = session($node);
	$mallory->value("SET ROLE mallory; SET statement_timeout = '60s'");
	# $below: of which a CTE is made that reads the one before twice
	my $chain = sub {
		my ($count, $statement, $below) = @_;
		my $with = 'WITH c0 AS MATERIALIZED (SELECT generate_series(1, 3) AS id)';
		$with .= ', c' . ($_ + 1) . ' AS MATERIALIZED (' . $below =~ s/%/c$_/gr . ')' foreach 0 .. $count - 1;
		return $mallory->run("$with " . $statement =~ s/%/c$count/gr);
	};
	my %below = (
		joined => 'SELECT a.id FROM % a JOIN % b ON a.id = b.id', united => 'TABLE % UNION ALL TABLE %',
		'in WHERE' => 'SELECT id FROM c0 WHERE id IN (TABLE %) AND id + 0 IN (TABLE %)',
		'in SELECT' => 'SELECT (SELECT max(id) FROM %) + (SELECT min(id) FROM %) AS id');
	my %read = (
		'in FROM' => 'SELECT dp_count(1000) FROM depts d WHERE EXISTS (SELECT 1 FROM % z WHERE z.id = d.x)',
		'in WHERE' => 'SELECT dp_count(1000) FROM depts d WHERE d.x IN (SELECT id FROM % OFFSET 0) OR d.x < 0',
		'in FILTER' => 'SELECT dp_count(1000) FILTER (WHERE d.x IN (SELECT id FROM %)) FROM depts d',
		'beside it' => 'SELECT dp_count(1000), (SELECT max(id) FROM %) FROM depts d');
	foreach my $read (sort keys %read)
	{
		foreach my $below (sort keys %below)
		{
			my ($few, $many) = map { $chain->($_, $read{$read}, $below{$below}) } 5, 40;
			like($few->{sqlstate} // 'answered', qr/^(answered|0A000)$/, "five, $below, read $read, are looked at")
			  or diag explain $few;
			is($many->{sqlstate}, '54001', "forty, $below, read $read, are refused") or diag explain $many;
			like($many->{message}, qr/in more than 1000 ways: read each CTE once or twice/, '... with a way out');
		}
	}
	like($chain->(5, $read{'in FROM'}, $below{joined})->{out} // '', qr/^\d+$/, 'five are answered over');
	# rows of a hidden table whose answers repeat, so that the question is written down: kept apart, and where
	# they are read
	$s->value("CREATE TABLE members (id int PRIMARY KEY); INSERT INTO members SELECT generate_series(1, 100); "
		. "SELECT idp.protect('members', 100, unit => 'id', repeat => '1 day'); GRANT SELECT ON members TO mallory");
	foreach my $kept ('AS MATERIALIZED', 'AS')
	{
		my $with = sub {
			"WITH c0 $kept (SELECT id FROM members)" . join '',
			  map { ", c$_ $kept (SELECT a.id FROM c" . ($_ - 1) . ' a JOIN c' . ($_ - 1) . ' b ON b.id = a.id)' }
			  1 .. $_[0]
		};
		foreach my $asked ('count(*) FROM c40', 'dp_count(0.01) FROM c40', 'count(*) FROM c3')
		{
			is($mallory->run($with->(40) . " SELECT $asked")->{sqlstate}, '54001',
				"forty of hidden rows, $kept, are refused: $asked");
		}
		like($mallory->run($with->(3) . ' SELECT count(*) FROM c3')->{out} // '', qr/^\d+$/,
			"three of hidden rows, $kept, are answered");
	}
	like($chain->(30, 'SELECT count(*) FROM %', 'SELECT id FROM c0 WHERE id = 4 AND id IN (TABLE %) '
		  . 'AND id + 0 IN (TABLE %)')->{out} // '', qr/^0$/, 'nothing private: not refused');
	$_->quit foreach $mallory;
};

# What each of them asks is written down, and is as long as the statement.
subtest 'hundreds of numbers that are kept' => sub {
	$s = session($node);
	$s->value('CREATE TABLE guests (id int PRIMARY KEY); INSERT INTO guests '
		. 'SELECT generate_series(1, 40); CREATE TABLE visits (id int PRIMARY KEY, guest int NOT NULL REFERENCES '
		. 'guests, length int NOT NULL)');
	$s->value("INSERT INTO visits SELECT i, 1 + i % 40, i % 50 FROM generate_series(1, 80) i; "
		. "SELECT idp.protect('guests', 100, unit => 'id', repeat => '1 day'); "
		. "SELECT idp.link('visits', 'guest', 'guests', max_rows => 3); GRANT SELECT ON guests, visits TO mallory");
	my $mallory = session($node);
	$mallory->value("SET ROLE mallory; SET idp.epsilon = 1e-6; SET statement_timeout = '120s'");
	my $before = process_kb($mallory, 'VmHWM');
	my $got = $mallory->run('SELECT '
		  . join(', ', map { "count(*) FILTER (WHERE length < $_)" } 1 .. 400) . ' FROM visits');
	is(scalar(my @numbers = split /\|/, $got->{out} // $got->{message}), 400, 'they are answered');
	SKIP:
	{
		skip 'no /proc', 1 unless defined $before;
		cmp_ok(process_kb($mallory, 'VmHWM') - $before, '<', 512 * 1024,
			'with no memory for each that is as long as all, kB');
	}
	$_->quit foreach $mallory;
};

# Parts that are computed from others may come at each of several places: once more for each choice of those outside.
subtest 'LATERAL inside LATERAL' => sub {
	$s = session($node);
	my $mallory = session($node);
	$mallory->value("SET ROLE mallory; SET statement_timeout = '60s'");
	my $nested;
	$nested = sub {
		my ($depth, $outer) = @_;
		return "SELECT $outer.id" if !$depth;
		my $parts = join ', ', map { 'LATERAL (' . $nested->($depth - 1, "g$depth") . " OFFSET 0) l${depth}_$_" }
		  1 .. 3;
		return "SELECT g$depth.id FROM (SELECT generate_series(1, 3) AS id) g$depth, $parts "
		  . "WHERE g$depth.id = $outer.id";
	};
	my @got = map { $mallory->run('SELECT dp_count(1000) FROM (SELECT x AS id FROM depts) d, LATERAL ('
		  . $nested->($_, 'd') . ' OFFSET 0) z') } 2, 5;
	unlike($got[0]->{message} // '', qr/too many orders/, 'two levels are looked at');
	like($got[1]->{message}, qr/over joins that may be computed in too many orders: nest fewer LATERAL subqueries/,
		'five are refused') or diag explain $got[1];
	$_->quit foreach $mallory;
};

# Statements of some kilobytes that take minutes to plan: whoever waits too long for them fails here.
subtest 'planning hears a cancel' => sub {
	$s->value("CREATE TABLE persons (id int PRIMARY KEY); CREATE TABLE bought (id int PRIMARY KEY, person int NOT NULL "
		. "REFERENCES persons, status text NOT NULL, quantity int NOT NULL); SET client_min_messages = error");
	$s->value("SELECT idp.protect('persons', 100, unit => 'id'), idp.link('bought', 'person', 'persons', max_rows => "
		. "5), idp.set_domain('bought', 'status', ARRAY['new', 'paid']), idp.set_domain('bought', 'quantity', 0, 5)");
	$s->value('GRANT SELECT ON persons, bought TO mallory');
	my $mallory = session($node);
	$mallory->value("SET ROLE mallory; SET statement_timeout = '500ms'");
	my $terms = join ' + ', 1 .. 30;
	my $sums = join ' AND ', map { "sum(quantity + $_) <> $_" } 1 .. 4000;
	foreach my $case (
		[ 'sums of answers in sums of answers', 'SELECT sum(c) FROM ' . '(SELECT status, sum(c) c FROM ' x 500
			  . '(SELECT status, count(*) c FROM bought GROUP BY 1)' . ' x GROUP BY 1)' x 500 . ' y' ],
		[ 'HAVING of thousands of sums', "SELECT status, count(*) FROM bought GROUP BY 1 HAVING $sums" ],
		[ 'hundreds of averages of long sums',
			'SELECT ' . join(', ', map { "avg(quantity + $terms + $_)" } 1 .. 400) . ' FROM bought' ])
	{
		is($mallory->run("EXPLAIN $case->[1]")->{sqlstate}, '57014', $case->[0]);
	}
	# Whether that is heard, or it is quick, is up to the machine: it took two minutes.
	$s->value("CREATE TABLE items (id int PRIMARY KEY, quantity int NOT NULL); SET client_min_messages = error; "
		  . "SELECT idp.protect('items', 100), idp.set_domain('items', 'quantity', 0, 10)");
	$s->value('GRANT SELECT ON items TO mallory');
	my $rows = sub {
		my ($k) = @_;
		return '(SELECT * FROM items WHERE ' . join(' AND ', map { 'quantity <> ' . ($_ + 1000000 * $k) } 0 .. 19999)
		  . ") s$k"
	};
	my $start = time;
	$mallory->run('EXPLAIN SELECT s0.quantity, s1.quantity, s2.quantity, count(*) FROM ' . $rows->(0)
		  . join('', map { ' JOIN ' . $rows->($_) . " ON s$_.id = s0.id" } 1, 2) . ' GROUP BY 1, 2, 3');
	cmp_ok(time - $start, '<', 60, 'twenty thousand conditions on keys in each of three subqueries');
	# The digits of a product were those of its sides, looked at twice each.
	$start = time;
	$mallory->run('EXPLAIN SELECT avg(x) FROM (SELECT person, sum(' . join(' * ', ('quantity::numeric') x 60)
		  . ') AS x FROM bought GROUP BY 1) b');
	cmp_ok(time - $start, '<', 60, 'a product of sixty numbers');
	$mallory->quit;
};

# What is computed for rows hears no cancel while the server computes: so it computes nothing that takes long.
subtest 'twins are short' => sub {
	$s->value("CREATE TABLE numbers (x numeric, t text); INSERT INTO numbers VALUES (1, 'a'); "
		  . "SET client_min_messages = error; SELECT idp.protect('numbers', 100)");
	$s->value('GRANT SELECT ON numbers TO mallory');
	my $mallory = session($node);
	$mallory->value("SET ROLE mallory; SET statement_timeout = '20s'");
	foreach my $long ('gcd(x + 3::numeric ^ 200000, x + 7::numeric ^ 150000) > 0',
		'lcm(x + 3::numeric ^ 200000, x + 7::numeric ^ 150000) > 0',
		"btrim(repeat('a', 120000) || t, repeat('b', 100000) || 'a') = ''",
		"strpos(repeat('a', 120000) || t, repeat('a', 100000) || 'b' || t) > 0")
	{
		my $outcome = $mallory->run("SELECT dp_count(0.01) FROM numbers WHERE " . join ' AND ', ("($long)") x 4);
		is($outcome->{message}, undef, "NULL, or quick: $long");
	}
	$mallory->quit;
};

$s->quit;
$node->stop;
done_testing();
