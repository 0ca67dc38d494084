# Rows 28 to 30 of the attacks: accounts while tables are dropped and made again, whatever snapshot
# the transaction has and whoever the owner is, and while other transactions protect theirs.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('dropped', "session_preload_libraries = 'idp'", 'max_prepared_transactions = 10');
my ($s, $old, $watch) = map { session($node) } 1 .. 3;
my $make = 'AS SELECT generate_series(1, 9) AS x';
my $exhausted = qr/^privacy budget of table "[\w.]+" is exhausted/;

sub exhausted
{
	my ($session, $table, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $session->run("SELECT dp_count(1000) FROM $table");
	like($r->{message} // "answered: $r->{out}", $exhausted, $name);
	return $r;
}

# What another table of the name may have been asked, or whose it is, its owner has to say.
sub waits
{
	my ($session, $table, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $session->run("SELECT dp_count(1000) FROM $table");
	like($r->{message} // "answered: $r->{out}",
		qr/cannot be computed over rows of a table that has the name of one that was dropped/, $name);
	return $r;
}

sub answered
{
	my ($session, $table, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $session->run("SELECT dp_count(1000) FROM $table");
	is($r->{message} // $r->{out}, '9', $name);
	return;
}

# --- A relation that does not exist any more is no table -----------------------------------------

# A transaction that is older than the account: what drops the table d, where its name leads then.
$s->value("CREATE SCHEMA other; CREATE ROLE passing; GRANT ALL ON SCHEMA public, other TO passing");
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	foreach my $case (
		[ 'DROP TABLE', '', 'DROP TABLE d', 'd' ],
		[ 'renamed before', '', 'ALTER TABLE d RENAME TO e; DROP TABLE e', 'e' ],
		[ 'moved before', '', 'ALTER TABLE d SET SCHEMA other; DROP TABLE other.d', 'other.d' ],
		[ 'moved with its schema', 'CREATE SCHEMA mine; ALTER TABLE d SET SCHEMA mine',
			'ALTER SCHEMA mine RENAME TO his; DROP SCHEMA his CASCADE; CREATE SCHEMA his', 'his.d',
			'DROP SCHEMA his CASCADE' ],
		[ 'renamed by another', 'ALTER TABLE d RENAME TO e', 'DROP TABLE e', 'e' ],
		[ 'DROP OWNED', 'ALTER TABLE d OWNER TO passing', 'DROP OWNED BY passing', 'd',
			'GRANT ALL ON SCHEMA public, other TO passing' ],
		[ 'a partition', 'CREATE TABLE p (x int) PARTITION BY LIST (x); ALTER TABLE p ATTACH PARTITION d DEFAULT',
			'DROP TABLE d', 'd', 'DROP TABLE p' ],
		[ 'its parent', 'CREATE TABLE p (x int) PARTITION BY LIST (x); ALTER TABLE p ATTACH PARTITION d DEFAULT',
			'DROP TABLE p', 'd' ],
		[ 'back in a subtransaction', '', 'SAVEPOINT a; DROP TABLE d; ROLLBACK TO a; ALTER TABLE d RENAME TO e; '
			  . 'SAVEPOINT b; DROP TABLE e; RELEASE b', 'e' ],
		[ 'prepared', '', "DROP TABLE d; PREPARE TRANSACTION 'drop'; COMMIT PREPARED 'drop'; BEGIN", 'd' ],)
	{
		my ($name, $before, $drop, $now, $after) = @$case;
		$old->value("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM idp.account");
		# a hidden table is no part of a visible one
		my $rows = $before =~ /PARTITION/ ? ', rows => \'visible\'' : '';
		$s->value("CREATE TABLE d $make; SELECT idp.protect('d', 1$rows); SELECT dp_count(1) FROM d");
		$s->value($before) if $before;
		my $r = $old->run("$drop; COMMIT");
		is($r->{message} // '', '', "$level, $name: dropped");
		$s->value("CREATE TABLE $now $make");
		($name eq 'DROP OWNED' ? \&waits : \&exhausted)->($s, $now,
			"$level, $name: its account is that of the next table of the name");
		$s->value("SELECT idp.protect('$now', 1001)");
		is($watch->value("SELECT spent || ' ' || (SELECT count(*) FROM idp.account WHERE active) FROM idp.protection "
			  . "WHERE table_name = '$now'"), '1 1', '... which continues it');
		$s->value("DROP TABLE $now");
		$s->value($after) if $after;
		$s->value('DELETE FROM idp.account');
	}

	$old->value("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM idp.account");
	$s->value("CREATE TABLE d $make; SELECT idp.protect('d', 1); SELECT dp_count(1) FROM d");
	$old->value('DROP TABLE d; ROLLBACK');
	exhausted($s, 'd', "$level: DROP TABLE rolled back");
	$s->value("ALTER TABLE d RENAME TO e; CREATE TABLE d $make");
	answered($s, 'd', "$level: ... the account is that of the table, not of its name");
	$s->value('DROP TABLE d; ALTER TABLE e RENAME TO d');

	# idp.protect and idp.unprotect themselves
	$old->value("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM idp.account");
	$s->value("CREATE TABLE f $make; SELECT idp.protect('f', 1); SELECT dp_count(1) FROM f");
	is($old->run("SELECT idp.protect('f', 2); COMMIT")->{message} // '', '', "$level: protected again");
	is($watch->value("SELECT string_agg(total || ' ' || spent, ', ') FROM idp.budget WHERE table_name = 'f'"), '2 1',
		"$level: ... the account is the same");
	$old->value("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM idp.account");
	$s->value("SELECT idp.protect('f', 3)");
	$old->value("SELECT idp.unprotect('f'); COMMIT");
	answered($s, 'f', "$level: unprotected");
	$s->value('DROP TABLE d, f; DELETE FROM idp.account');
}

# in the transaction, the statement or the function that protects it
foreach my $case (
	[ 'transaction', "BEGIN; SELECT idp.protect('d', 0); DROP TABLE d; COMMIT" ],
	[ 'statement', "BEGIN; SELECT idp.protect('d', 0), idp.protect('d', 1), idp.unprotect('d'), idp.protect('d', 0); "
		  . "DROP TABLE d; COMMIT" ],
	[ 'function', "DO \$\$BEGIN PERFORM idp.protect('d', 0); DROP TABLE d; END\$\$" ],
	[ 'transaction, made again',
		"BEGIN; SELECT idp.protect('d', 0); DROP TABLE d; CREATE TABLE d $make; DROP TABLE d; COMMIT" ],
	[ 'replica', "SELECT idp.protect('d', 0); SET session_replication_role = replica; ALTER TABLE d RENAME TO e; "
		  . "DROP TABLE e; RESET session_replication_role", 'e' ],
	[ 'database without the event trigger',
		"SELECT idp.protect('d', 0); ALTER EVENT TRIGGER idp_forget_dropped_tables DISABLE; DROP TABLE d; "
		  . "ALTER EVENT TRIGGER idp_forget_dropped_tables ENABLE ALWAYS" ],)
{
	my ($name, $drop, $now) = @$case;
	$now //= 'd';
	$s->value("CREATE TABLE d $make; $drop; CREATE TABLE $now $make");
	exhausted($s, $now, "dropped in the same $name");
	$s->value("DROP TABLE $now; DELETE FROM idp.account");
}

# what 0.2.0 did not notice
$node->safe_psql('postgres', 'CREATE DATABASE earlier TEMPLATE template0');
$node->safe_psql('earlier', "CREATE EXTENSION idp VERSION '0.2.0'; CREATE TABLE d $make");
my ($e, $f) = map { session($node, 'earlier') } 1 .. 2;
$f->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM idp.account');
$e->value("SELECT idp.protect('d', 0)");
$f->value('DROP TABLE d; COMMIT');
$e->value("CREATE TABLE d $make");
waits($e, 'd', 'an account that 0.2.0 forgot, with its SQL');
is($e->value("ALTER EXTENSION idp UPDATE TO '0.3.0'; SELECT count(*) "
	  . "FILTER (WHERE relation IS NULL) || ' of ' || count(*) FROM idp.account"), '1 of 1', 'the update notices');
$e->value('ALTER EXTENSION idp UPDATE');
exhausted($e, 'd', '... and remembers');
$_->quit foreach $e, $f;

# --- Others protect theirs meanwhile -------------------------------------------------------------

$s->value("CREATE TABLE t$_ $make") foreach 1 .. 9;
foreach my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	$old->value("BEGIN ISOLATION LEVEL $level; SELECT idp.protect('t1', 1)");
	is($watch->value("SELECT string_agg(DISTINCT locktype || ' ' || mode, ', ') FROM pg_locks WHERE pid = $old->{pid} "
		  . "AND granted AND (locktype <> 'relation' OR relation NOT IN ('t1'::regclass)) AND mode ~ 'Exclusive' "
		  . "AND locktype NOT IN ('transactionid', 'virtualxid') AND classid IS DISTINCT FROM 'pg_policy'::regclass"),
		'relation RowExclusiveLock', "$level: idle after idp.protect, it holds no lock that others wait for");
	$s->value("SET lock_timeout = '2s'");
	is($s->run("BEGIN ISOLATION LEVEL $level; SELECT idp.protect('t2', 1000); COMMIT")->{message} // '', '',
		"$level: another table is protected meanwhile");
	is($s->run('DROP TABLE t3')->{message} // '', '', '... another one dropped');
	answered($s, 't2', '... asked');
	is($s->run("SELECT idp.unprotect('t2')")->{message} // '', '', '... unprotected');
	$s->value("CREATE TABLE t3 $make");
	$old->value('ROLLBACK');

	# a prepared one, for as long as it likes
	$old->value("BEGIN ISOLATION LEVEL $level; SELECT idp.protect('t4', 1); PREPARE TRANSACTION 'protect'");
	is($s->run("SELECT idp.protect('t5', 1)")->{message} // '', '', "$level: beside a prepared transaction");
	is($s->value('SELECT count(*) - count(DISTINCT id) FROM idp.account'), '0', '... with a number of its own');
	if ($level eq 'READ COMMITTED')
	{
		$_->quit foreach $s, $old, $watch;
		$node->stop('immediate');
		$node->start;
		($s, $old, $watch) = map { session($node) } 1 .. 3;
		$s->value("SET lock_timeout = '2s'");
	}
	is($s->run("SELECT idp.protect('t6', 1)")->{message} // '', '', '... also after a crash');
	is($s->run("COMMIT PREPARED 'protect'")->{message} // '', '', '... which commits');
	is($s->value("SELECT count(*) - count(DISTINCT id) FROM idp.account"), '0', '... every account has its number');
	$s->value("SELECT idp.unprotect(t::regclass) FROM unnest('{t4,t5,t6}'::text[]) t; DELETE FROM idp.account");

	# charges of accounts that were rolled back belong to no later one
	my $last = $s->value('SELECT coalesce(max(account), 0) FROM idp.charge');
	$old->value("BEGIN ISOLATION LEVEL $level; SELECT idp.protect('t7', 100); SELECT dp_count(1) FROM t7");
	$s->value("SELECT idp.protect('t8', 1)");
	$old->value('ROLLBACK');
	$s->value("SELECT idp.protect('t9', 1)");
	is($s->value("SELECT count(*) FROM idp.account a JOIN idp.charge c ON c.account = a.id WHERE c.account > $last"),
		'0', "$level: charges of an account that was rolled back are nobody's");
	is($s->value("SELECT count(DISTINCT id) || ' ' || bool_and(id > $last) FROM idp.account"), '2 true',
		'... numbers are not used twice');
	$s->value('DELETE FROM idp.account');
}
$s->value('RESET lock_timeout');

# many at once
my @sessions = map { session($node) } 1 .. 6;
$s->value("CREATE TABLE many$_ $make") foreach 1 .. 60;
foreach my $i (0 .. 5)
{
	start_query($sessions[$i], join ';', map { 'SELECT idp.protect(\'many' . (10 * $i + $_) . "', 1)" } 1 .. 10);
}
is(join('', map { finish_query($_)->{message} // '' } @sessions), '', 'six sessions protect ten tables each');
is($s->value("SELECT count(DISTINCT id) FROM idp.account WHERE name LIKE 'public.many%'"), '60', 'each has its number');
$_->quit foreach @sessions;
$s->value('DELETE FROM idp.account');

# --- A name that somebody else left --------------------------------------------------------------

$s->value(<<'SQL');
CREATE ROLE anna; CREATE ROLE berta; CREATE ROLE carla;
CREATE SCHEMA shared;
GRANT ALL ON SCHEMA shared TO anna, berta;
GRANT USAGE ON SCHEMA shared TO carla;
SQL
my ($anna, $berta, $carla) = map { my $session = session($node); $session->value("SET ROLE $_"); $session } qw(anna
	berta carla);
my $budget = "SELECT string_agg(concat_ws(' ', table_name, active, total, spent, former_owner), ', ' "
  . "ORDER BY former_owner) FROM idp.protection WHERE table_name ~ 'shared.t\$'";

$anna->value("CREATE TABLE shared.t $make; SELECT idp.protect('shared.t', 1); SELECT dp_count(1, 'salary of Anna') "
	  . "FROM shared.t; DROP TABLE shared.t");
$berta->value("CREATE TABLE shared.t $make; GRANT SELECT ON shared.t TO carla");
my $r = waits($carla, 'shared.t', 'an account that another owner left');
like($r->{hint}, qr/idp\.unprotect/, '... with a way out');
is($berta->value($budget), 'shared.t t 1 1 anna', 'the new owner sees it, and whose it was');
is($carla->value($budget), 'shared.t t 1 1 anna', '... as does who may read her table');
is($berta->value("SELECT count(*) FROM idp.ledger"), '0', '... but not what was asked of the former table');
is($carla->run("SELECT idp.unprotect('shared.t')")->{sqlstate}, '42501', 'only the owner ends it');
$berta->value("SELECT idp.protect('shared.t', 5000)");
waits($carla, 'shared.t', 'idp.protect alone does not');
is($berta->value($budget), 'shared.t t 1 1 anna, shared.t t 5000 0', '... and shows both');
$berta->value("SELECT idp.unprotect('shared.t')");
answered($carla, 'shared.t', 'ended');
is($berta->value($budget), 'shared.t f 5000 0', '... and gone');
$berta->value("SELECT idp.protect('shared.t', 5000)");
answered($carla, 'shared.t', 'protected with a budget of her own');
is($berta->value($budget), 'shared.t t 5000 1000', '... which is charged');
is($berta->value("SELECT count(*) FROM idp.ledger"), '1', '... in her ledger');
$berta->value("DROP TABLE shared.t; CREATE TABLE shared.t $make");
is($berta->value($budget), 'shared.t t 5000 1000',
	'it stays ended when she makes it again, and her own account goes on');
is($berta->value("SELECT count(*) FROM idp.ledger"), '1', '... with its ledger');
$berta->value('DROP TABLE shared.t');

# it never ended for its owner
$anna->value("CREATE TABLE shared.t $make");
waits($anna, 'shared.t', 'the account waited for its owner');
is($anna->value($budget), 'shared.t t 1 1 anna, shared.t t 5000 1000 berta', '... beside that of the other one');
is($anna->value("SELECT string_agg(release, ' ') FROM idp.ledger"), 'salary of Anna', '... with its ledger');
$anna->value("SELECT idp.unprotect('shared.t')");
answered($anna, 'shared.t', 'ended by its owner');
$anna->value("SELECT idp.protect('shared.t', 2)");
is($anna->value($budget), 'shared.t t 2 1', 'and continued, with what was spent');
$anna->value('DROP TABLE shared.t');
$berta->value("CREATE TABLE shared.t $make");
waits($berta, 'shared.t', 'dropped anew, it is there for others again');
$berta->value('DROP TABLE shared.t');

# the owner is who it was at the drop
$s->value("CREATE TABLE shared.u $make; SELECT idp.protect('shared.u', 1); ALTER TABLE shared.u OWNER TO anna");
$anna->value('SELECT dp_count(1) FROM shared.u');
$s->value("BEGIN; ALTER TABLE shared.u OWNER TO berta; SAVEPOINT a; DROP TABLE shared.u; ROLLBACK TO a; "
	  . "ALTER TABLE shared.u RENAME TO v; DROP TABLE shared.v; ROLLBACK");
$anna->value("DROP TABLE shared.u; CREATE TABLE shared.u $make");
exhausted($anna, 'shared.u', 'a table that changed hands, dropped and made again');
$anna->value("SELECT idp.protect('shared.u', 2)");
is($anna->value("SELECT total || ' ' || spent FROM idp.budget WHERE table_name ~ 'shared.u'"), '2 1',
	'... by its last owner, who continues the account');
$s->value("BEGIN; ALTER TABLE shared.u OWNER TO berta; SAVEPOINT a; DROP TABLE shared.u; ROLLBACK TO a; "
	  . "ALTER TABLE shared.u RENAME TO v; DROP TABLE shared.v; COMMIT");
$berta->value("CREATE TABLE shared.v $make; SELECT idp.protect('shared.v', 3)");
is($berta->value("SELECT total || ' ' || spent FROM idp.budget WHERE table_name ~ 'shared.v'"), '3 1',
	'... the last of several in one transaction');
$berta->value('DROP TABLE shared.v');

# rows that the account of another owner hides
$anna->value("CREATE TABLE shared.h $make; SELECT idp.protect('shared.h', 5); DROP TABLE shared.h");
my $made = $berta->run("CREATE TABLE shared.h $make");
is($made->{message}, undef, 'a table of the name of a hidden one');
like($made->{err},
	qr/NOTICE: .*rows of table "shared.h" are hidden by the account of a table of that name that role "anna" dropped/,
	'... its owner is told');
like($made->{err}, qr/HINT:  SELECT idp\.unprotect\('shared\.h'\)/, '... with a way out');
is($berta->value('SELECT count(*) FROM shared.h'), 9, '... reads it');
is($berta->value("SELECT rows || ' ' || former_owner FROM idp.protection WHERE table_name = 'shared.h'"), 'hidden anna',
	'... and sees why others do not');
$berta->value('GRANT SELECT ON shared.h TO carla');
$r = $carla->run('SELECT * FROM shared.h');
like($r->{message}, qr/^rows of table "h" are hidden from role "carla"/, '... others do not');
like($r->{hint}, qr/idp\.unprotect/, '... and are told the way out');
$berta->value("SELECT idp.protect('shared.h', 5, rows => 'visible')");
like($carla->run('SELECT * FROM shared.h')->{message} // '', qr/^rows of table "h" are hidden/,
	'... also with visible rows of her own account');
$berta->value("SELECT idp.unprotect('shared.h')");
is($carla->value('SELECT count(*) FROM shared.h'), 9, '... until she ends it');
is($s->value("SELECT relrowsecurity, (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid) FROM pg_class c "
	  . "WHERE oid = 'shared.h'::regclass"), 'f|0', '... without a trace');
$berta->value("DROP TABLE shared.h; CREATE TABLE shared.whole (x int) PARTITION BY LIST (x)");
is($berta->run("CREATE TABLE shared.h PARTITION OF shared.whole DEFAULT")->{message}, undef,
	'... for all her tables of that name');
$anna->value("CREATE TABLE shared.i $make; SELECT idp.protect('shared.i', 5); DROP TABLE shared.i");
$berta->value('DROP TABLE shared.h');
$r = $berta->run('CREATE TABLE shared.i PARTITION OF shared.whole DEFAULT');
like($r->{message},
	qr/^rows of table "shared.i" are hidden by the account of a table of that name that role "anna" dropped/,
	'as a part of a visible table');
like($r->{hint}, qr/Create the table apart/, '... with a way out');
is($berta->run("CREATE TABLE shared.i (x int); SELECT idp.unprotect('shared.i'); "
	  . "ALTER TABLE shared.whole ATTACH PARTITION shared.i DEFAULT")->{message}, undef, '... which is one');
unlike($anna->run("CREATE TABLE shared.h $make")->{err}, qr/NOTICE/, 'the one who hid it knows');
like($carla->run('SELECT * FROM shared.h')->{message}, qr/permission denied/, '... and grants anew');
$anna->value('GRANT SELECT ON shared.h TO carla');
like($carla->run('SELECT * FROM shared.h')->{message}, qr/^rows of table "h" are hidden/, '... it is hidden again');
$anna->value("SELECT idp.unprotect('shared.h'); DROP TABLE shared.h");
$berta->value('DROP TABLE shared.whole');

# rows that a link of another owner's hides
$anna->value(<<"SQL");
CREATE TABLE shared.unit (id int PRIMARY KEY);
CREATE TABLE shared.of_unit (id int, unit int NOT NULL REFERENCES shared.unit);
SELECT idp.protect('shared.unit', 5, unit => 'id'), idp.link('shared.of_unit', 'unit', 'shared.unit');
DROP TABLE shared.of_unit;
SQL
foreach my $end ('idp.unlink', 'idp.unprotect')
{
	$made = $berta->run("CREATE TABLE shared.of_unit $make");
	like($made->{err},
		qr/NOTICE: .*rows of table "shared.of_unit" are hidden by the account of a table of that name that role "anna" dropped/,
		"a table of the name of a linked one: its owner is told");
	is($berta->run('UPDATE shared.of_unit SET x = x; SELECT count(*) FROM shared.of_unit')->{out}, 9,
		'... reads and changes it');
	$berta->value('GRANT SELECT ON shared.of_unit TO carla');
	like($carla->run('SELECT * FROM shared.of_unit')->{message},
		qr/^rows of table "of_unit" are hidden from role "carla"/, '... others do not');
	like($berta->run("SELECT idp.protect('shared.of_unit', 1)")->{hint}, qr/idp\.unlink/,
		'... and it is not protected before');
	is($berta->run("SELECT $end('shared.of_unit')")->{message}, undef, "... she ends it: $end");
	is($carla->run('SELECT count(*) FROM shared.of_unit')->{out}, 9, "... then they do: $end");
	is($s->value("SELECT relrowsecurity, (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid) FROM pg_class c "
		  . "WHERE oid = 'shared.of_unit'::regclass"), 'f|0', '... without a trace');
	is($berta->run("SELECT idp.protect('shared.of_unit', 1); SELECT idp.unprotect('shared.of_unit'); "
		  . "DROP TABLE shared.of_unit; CREATE TABLE shared.of_unit $make; "
		  . "GRANT SELECT ON shared.of_unit TO carla")->{message}, undef, '... and protects it');
	is($carla->run('SELECT * FROM shared.of_unit LIMIT 0')->{message}, undef, '... for all her tables of that name');
	$berta->value('DROP TABLE shared.of_unit');
	$anna->value("CREATE TABLE shared.of_unit (id int, unit int NOT NULL REFERENCES shared.unit); "
		  . "GRANT SELECT ON shared.of_unit TO carla");
	like($carla->run('SELECT * FROM shared.of_unit')->{message}, qr/^rows of table "of_unit" are hidden/,
		'... and not for those of the one who linked it');
	$anna->value('DROP TABLE shared.of_unit');
	$s->value('DELETE FROM idp.account_end; '
		  . 'DELETE FROM idp.account WHERE owner = \'berta\' AND name = \'shared.of_unit\'');
}

# a linked table of another owner than the unit's
$anna->value("CREATE TABLE shared.of_unit (id int, unit int NOT NULL REFERENCES shared.unit)");
is($anna->run("SELECT idp.unlink('shared.of_unit'); SELECT idp.link('shared.of_unit', "
	  . "'unit', 'shared.unit')")->{message}, undef, 'who linked it ends that, and links anew');
$s->value('ALTER TABLE shared.of_unit OWNER TO berta');
is($berta->run('SELECT * FROM shared.of_unit')->{message}, undef, 'the owner of a linked table reads it');
$berta->value('GRANT SELECT ON shared.of_unit TO anna');
like($anna->run('SELECT * FROM shared.of_unit')->{message} // 'read', qr/^rows of table "of_unit" are hidden/,
	'the owner of the unit does not');
$s->value('DROP TABLE shared.of_unit, shared.unit');

# what cannot be protected can be freed
$berta->value("CREATE MATERIALIZED VIEW shared.t $make");
waits($berta, 'shared.t', 'a materialized view of that name');
$berta->value("SELECT idp.unprotect('shared.t')");
answered($berta, 'shared.t', '... is freed');
$berta->value("DROP MATERIALIZED VIEW shared.t; CREATE VIEW shared.t $make");
is($berta->run("SELECT idp.unprotect('shared.t')")->{sqlstate}, '42809', 'a view has nothing to free');
answered($berta, 'shared.t', '... and needs nothing');
$berta->value('DROP VIEW shared.t');

# a dump keeps who ended what
$berta->value("CREATE TABLE shared.t $make; SELECT idp.unprotect('shared.t')");
my $dump = $node->basedir . '/dump.sql';
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-f', $dump, 'postgres' ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
command_ok([ 'psql', '-X', '-q', '-h', $node->host, '-p', $node->port, '-v', 'ON_ERROR_STOP=1', '-d', 'copy', '-f',
	$dump ], 'restored');
my $copy = session($node, 'copy');
$copy->value('SET ROLE berta');
answered($copy, 'shared.t', 'ended in the copy too');
$copy->value('RESET ROLE; ALTER TABLE shared.t OWNER TO anna; SET ROLE anna');
waits($copy, 'shared.t', '... for that owner alone');
$copy->quit;

# what anybody may call
foreach my $call ("idp.account_table(NULL, NULL, NULL, NULL, NULL)", "idp.account_table(1, 0, 'a.b', 'c', true)",
	"idp.account_table(1, NULL, 'a', 'c', false)",
	"idp.chain_answer('00000000-0000-0000-0000-000000000000')", "idp.chain_answer(NULL)")
{
	is($carla->value("SELECT $call IS NULL"), 't', $call);
}
is($carla->run("SELECT idp.forget_table('shared.t'::regclass, 'x', 'y')")->{sqlstate}, '42501',
	'idp.forget_table is not for everybody');
is($berta->run("BEGIN READ ONLY; SELECT idp.protect('shared.t', 1); ROLLBACK")->{sqlstate}, '25006',
	'a transaction that may not write does not protect');

$s->alive('at the end');
$_->quit foreach $s, $old, $watch, $anna, $berta, $carla;
$node->stop;
done_testing();
