# Shared levels: a release is given to roles, each at an epsilon of its own. Who sees what, what that
# costs, how it is taken back, and what becomes of it when the release, the table or the role goes, or
# the database is dumped and restored.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('shared');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE owner; CREATE ROLE analyst; CREATE ROLE public_role; CREATE ROLE board;
CREATE ROLE press; CREATE ROLE nobody;
CREATE ROLE member IN ROLE public_role, board;
CREATE ROLE secretary IN ROLE member;
CREATE ROLE estranged NOINHERIT IN ROLE board;
CREATE SCHEMA closed AUTHORIZATION owner;
SET ROLE owner;
CREATE TABLE closed.pay AS SELECT i AS id, 'd' || i % 3 AS dept, i AS salary FROM generate_series(1, 300) i;
GRANT USAGE ON SCHEMA closed TO analyst;
GRANT SELECT ON closed.pay TO analyst;
SELECT idp.protect('closed.pay', 1000, 'add_remove', rows => 'visible');
RESET ROLE;
SQL
my %as = map { my $session = session($node); $session->value("SET ROLE $_"); ($_ => $session) } qw(owner analyst
	public_role board press nobody member secretary estranged);
my $o = $as{owner};

sub fails
{
	my ($session, $sql, $sqlstate, $message, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $session->run("SELECT $sql");
	return is(($r->{sqlstate} // 'answered') . ' ' . ($r->{message} // $r->{out}), "$sqlstate $message", $name);
}

sub missing
{
	my ($role, $name, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return fails($as{$role}, "idp.read('$name')", '42704', qq[release "$name" does not exist], $what);
}

# what a role reads, and its level
sub sees { return $as{ $_[0] }->value("SELECT epsilon, answer FROM idp.shared WHERE name = '$_[1]'") }

# --- Levels ----------------------------------------------------------------------------------------

$as{analyst}->value("SELECT dp_sum(salary, 0.05, 0, 1000, 'total') FROM closed.pay");
missing('public_role', 'total', 'not shared yet');
costs($s, 'closed.pay', '0.05', 'the level of the public',
	sub { $o->value("SELECT idp.share('total', 'public_role', 0.1)") }, 1);
costs($s, 'closed.pay', '0.9', 'the level of the board: beyond that alone',
	sub { $o->value("SELECT idp.share('total', 'board', 1)") }, 1);
costs($s, 'closed.pay', '0', 'one in between', sub { $o->value("SELECT idp.share('total', 'press', 0.5)") }, 0);
costs($s, 'closed.pay', '0', 'the same again',
	sub { $o->value("SELECT idp.share('total', 'board', 1), idp.share('total', 'board', 1)") }, 0);
my %answer = map { $_ => $o->value("SELECT idp.relax('total', $_)") } 0.05, 0.1, 0.5, 1;
my %level = (public_role => '0.1', board => 1, press => '0.5', member => 1, secretary => 1);
foreach my $role (sort keys %level)
{
	is($as{$role}->value("SELECT idp.read('total')"), $answer{ $level{$role} }, "$role reads its level");
	is(sees($role, 'total'), "$level{$role}|$answer{ $level{$role} }", "$role: idp.shared");
}
costs($s, 'closed.pay', '0', 'reading', sub { $as{$_}->value("SELECT idp.read('total')") foreach keys %level }, 0);
is($s->value("SELECT idp.read('total')"), $answer{1}, 'a superuser has the rights of all');
foreach my $role (qw(owner analyst nobody estranged))
{
	missing($role, 'total', "not $role");
	is(sees($role, 'total'), '', "$role: idp.shared");
}
$s->value('GRANT estranged TO nobody');
missing('nobody', 'total', 'a member of one that inherits nothing');
$as{estranged}->value('SET SESSION AUTHORIZATION DEFAULT; SET ROLE board');
is($as{estranged}->value("SELECT idp.read('total')"), $answer{1}, 'who has to take the role on, and does');
is($as{member}->value('SELECT count(*) FROM idp.shared'), 1, 'one row for a release, given to two roles of a member');

# the other ways to an answer
is($as{board}->value('SELECT count(*) FROM idp.releases'), 0,
	'idp.releases shows what may be read, not what was given');
missing('board', 'no such release', 'a release that is not there');
fails($as{board}, "idp.release_answer('total')", '42704', 'release "total" does not exist',
	'not the most accurate answer');
my $chain = $s->value("SELECT id FROM idp.chain WHERE name = 'total'");
is($as{press}->value("SELECT idp.chain_answer('$chain')"), '', 'not by its number');
is($as{press}->value("SELECT idp.shared_answer('$chain', ARRAY[$_]::float8[])"), $answer{$_} // '',
	"by its number at $_") foreach 0.1, 0.5;
is($as{press}->value("SELECT idp.shared_answer('$chain', ARRAY[$_]::float8[]) IS NULL"), 't', "by its number not at $_")
  foreach 1, "'NaN'", 0.3, "0.1, 0.1";
is($as{nobody}->value("SELECT idp.shared_answer('$chain', ARRAY[0.1]::float8[]) IS NULL"), 't', 'others not at all');
foreach my $table (qw(share chain chain_level))
{
	is($as{board}->run("SELECT * FROM idp.$table")->{sqlstate}, '42501', "idp.$table is closed");
}

# --- Refining by a reader --------------------------------------------------------------------------

is($as{press}->value("SELECT idp.relax('total', $_)"), $answer{$_}, "relax at $_, within its level")
  foreach 0.05, 0.1, 0.5;
my $tightened = $as{press}->value("SELECT idp.relax('total', 0.3)");
is($as{press}->value("SELECT idp.relax('total', 0.3)"), $tightened, 'a level of its own is repeated');
is($o->value("SELECT idp.relax('total', 0.3)"), $tightened, 'and is one of the release');
my $spent = spent($s, 'closed.pay');
foreach my $epsilon ('0.5000000000000001', 1, 2, 100)
{
	fails($as{press}, "idp.relax('total', $epsilon)", '42501', 'permission denied to refine release "total"',
		"relax at $epsilon, beyond its level");
}
fails($as{press}, "idp.relax('total', ARRAY[0.1, 0.1])", '42501', 'permission denied to refine release "total"',
	'nor by another number of epsilons');
fails($as{nobody}, "idp.relax('total', 0.01)", '42704', 'release "total" does not exist', 'who was given none');
fails($as{press}, "idp.relax('total', $_)", '22023', 'epsilon must be a finite number greater than 0', "relax at $_")
  foreach "'NaN'", 0, -1;
is(spent($s, 'closed.pay'), $spent, 'and nothing was charged');

# levels of theirs leave room for others'
my $levels = "SELECT count(*) FROM idp.chain_level WHERE chain = '$chain' AND role = 'press'";
my $had = $s->value($levels);
is($as{press}->value('SELECT count(idp.relax(\'total\', i / 1000.0)) FROM generate_series(101, ' . (200 - $had)
	  . ') i'), 100 - $had, 'levels below its own, up to a hundred');
fails($as{press}, "idp.relax('total', 0.0123)", '54000', 'role "press" has drawn too many levels of release "total"',
	'no more by a reader');
is($s->value($levels), 100, 'nothing was drawn');
$o->value("SELECT idp.share('total', 'nobody', 0.0123)");
like($as{nobody}->value("SELECT idp.read('total')"), qr/^-?\d+$/, 'the owner still gives others theirs');
is($as{press}->value("SELECT idp.relax('total', 0.0123) IS NULL"), 'f', 'which are there for who was given more');

# --- Another level, and none -----------------------------------------------------------------------

$o->value("SELECT idp.share('total', 'board', 0.1)");
is(sees('member', 'total'), "0.1|$answer{0.1}", 'a smaller level takes the place of the larger');
fails($as{board}, "idp.relax('total', 1)", '42501', 'permission denied to refine release "total"',
	'which is theirs no more');
costs($s, 'closed.pay', '0', 'given again', sub { $o->value("SELECT idp.share('total', 'board', 1)") }, 0);
is(sees('member', 'total'), "1|$answer{1}", 'the same answer as before');
costs($s, 'closed.pay', '0', 'taken back', sub { $o->value("SELECT idp.share('total', 'board', NULL)") }, 0);
missing('board', 'total', 'taken back');
is(sees('member', 'total'), "0.1|$answer{0.1}", 'a member of two roles keeps what the other has');
is($o->value('SELECT name, table_name, role, epsilons FROM idp.shares ORDER BY role COLLATE "C"'),
	"total|closed.pay|nobody|{0.0123}\ntotal|closed.pay|press|{0.5}\ntotal|closed.pay|public_role|{0.1}",
	'idp.shares for the owner');
is($as{analyst}->value('SELECT count(*) FROM idp.shares'), 0, 'for nobody else');

# a rollback takes back the right, not the charge; an abort after revocation restores it
$spent = spent($s, 'closed.pay');
$o->value("BEGIN; SELECT idp.share('total', 'board', 2)");
missing('board', 'total', 'not before it is committed');
$o->value('ROLLBACK');
missing('board', 'total', 'nor if it is not');
is($s->value("SELECT trim_scale(spent - $spent) FROM idp.budget WHERE table_name = 'closed.pay'"), 1,
	'what was drawn stays charged');
costs($s, 'closed.pay', '0', 'given after the rollback', sub { $o->value("SELECT idp.share('total', 'board', 2)") }, 0);
$o->value("BEGIN; SELECT idp.share('total', 'board', NULL); ROLLBACK");
isnt(sees('board', 'total'), '', 'a revocation that was rolled back');
$as{board}->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM idp.shared');
$o->value("SELECT idp.share('total', 'board', NULL)");
is($as{board}->value("SELECT answer IS NULL FROM idp.shared WHERE name = 'total'"), 't',
	'an older snapshot does not help');
missing('board', 'total', 'nor by name');
$as{board}->value('ROLLBACK');
fails($o, "idp.share('total', 'board', 1) FROM (SELECT set_config('transaction_read_only', 'on', true)) q", '25006',
	'cannot execute idp.share() in a read-only transaction', 'not in a read-only transaction');

# two owners' sessions at once: one of them has to ask again
my $other = session($node);
$other->value('SET ROLE owner');
$o->value("BEGIN; SELECT idp.share('total', 'board', 1)");
start_query($other, "SELECT idp.share('total', 'board', 0.1)");
wait_until($s, "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock')");
$o->value('COMMIT');
is(finish_query($other)->{sqlstate}, '23505', 'the same gift by two sessions');
is(sees('board', 'total'), "1|$answer{1}", 'is made once');
$other->quit;

# --- Who may share ---------------------------------------------------------------------------------

fails($as{$_}, "idp.share('total', '$_', 100)", '42704', 'release "total" does not exist', "not $_")
  foreach qw(press nobody);
fails($as{analyst}, "idp.share('total', 'press', 0.1)", '42501', 'must be owner of the table of release "total"',
	'nor who may read the table');
fails($o, "idp.share('no such release', 'press', 0.1)", '42704', 'release "no such release" does not exist',
	'no release');
fails($o, "idp.share('total', 'no_such_role', 0.1)", '42704', 'role "no_such_role" does not exist', 'no role');
fails($o, "idp.share('total', 0::oid::regrole, 0.1)", '42704', 'invalid role OID: 0', 'the role of number 0');
fails($o, "idp.share($_->[0])", '22004', "$_->[1] must not be null", "$_->[1]: null")
  foreach [ "NULL, 'press', 0.1", 'release' ], [ "'total', NULL, 0.1", 'role' ],
  [ "'total', 'press', 0.1, all_groups => NULL", 'all_groups' ];
fails($o, "idp.share('total', 'press', $_)", '22023', 'epsilon must be a finite number greater than 0', "epsilon $_")
  foreach 0, -1, "'NaN'", "'infinity'";
is($o->value('SELECT idp.read(NULL) IS NULL'), 't', 'read of no name');
$o->value("SELECT idp.protect('closed.pay', 1000, min_epsilon => 0.05)");
fails($o, "idp.share('total', 'press', 0.01)", '22023',
	'epsilon is below the minimum of table "closed.pay": give at least 0.05', 'an epsilon below the minimum');
like($as{nobody}->value("SELECT idp.read('total')"), qr/^-?\d+$/, 'what was given stays');
$o->value("SELECT idp.protect('closed.pay', 1000, min_epsilon => 0)");

# nothing is stored of what is refused
my $shares = $s->value('SELECT count(*) FROM idp.share');
$spent = spent($s, 'closed.pay');
is($o->run("SELECT idp.share('total', 'press', 5000)")->{sqlstate}, 'IDP01', 'more than the budget');
$o->value("SELECT idp.limit_role('closed.pay', 'owner', 3)");
is($o->run("SELECT idp.share('total', 'press', 50)")->{sqlstate}, 'IDP01', 'more than the role may spend');
$o->value("SELECT idp.limit_role('closed.pay', 'owner', NULL)");
is($s->value('SELECT count(*) FROM idp.share') . ' ' . spent($s, 'closed.pay'), "$shares $spent",
	'nothing is given and nothing charged');
is(sees('press', 'total'), "0.5|$answer{0.5}", 'what it had it has');

# --- Groups ----------------------------------------------------------------------------------------

$as{analyst}->value("SELECT dp_count(1, 'in ' || dept) FROM closed.pay GROUP BY dept");
costs($s, 'closed.pay', '0', 'one group of a family', sub { $o->value("SELECT idp.share('in d1', 'board', 0.5)") }, 0);
is($as{board}->value("SELECT string_agg(name, ',' ORDER BY name) FROM idp.shared"), 'in d1,total', 'is given alone');
costs($s, 'closed.pay', '4', 'all groups at once',
	sub { $o->value("SELECT idp.share('in d1', 'press', 5, all_groups => true)") }, 1);
is($as{press}->value("SELECT string_agg(name || ' ' || (answer = idp.read(name))::text, ',' ORDER BY name) "
	  . "FROM idp.shared WHERE name LIKE 'in %' AND epsilon = 5"), 'in d0 true,in d1 true,in d2 true',
	'are given by one call');
is($as{press}->value("SELECT idp.read('in d2')"), $o->value("SELECT idp.relax('in d2', 5)"), 'each its own');
$o->value("SELECT idp.share('in d0', 'press', NULL, all_groups => true)");
is($as{press}->value("SELECT string_agg(name, ',') FROM idp.shared"), 'total', 'and taken back by one');

# several epsilons
$as{analyst}->value("SELECT idp_avg(salary, ARRAY[0.1, 0.2], 0, 1000, 'groups') FROM closed.pay");
$o->value("SELECT idp.share('groups', 'press', ARRAY[0.5, 0.6])");
$o->value("SELECT idp.share('groups', 'board', ARRAY[0.4, 0.7])");
is($as{press}->value("SELECT epsilon, answer = idp.read('groups') FROM idp.shared WHERE name = 'groups'"), '0.5|t',
	'several epsilons');
is($as{press}->value("SELECT idp.relax('groups', ARRAY[0.5, 0.6]) = idp.read('groups')"), 't', 'relaxed within');
fails($as{press}, "idp.relax('groups', ARRAY[$_])", '42501', 'permission denied to refine release "groups"',
	"not at $_") foreach '0.5, 0.7', '0.6, 0.6', '0.5';
fails($o, "idp.share('groups', 'press', 0.1)", '22023', 'release "groups" has another number of epsilons',
	'one epsilon for a release that has two');
fails($o, "idp.share('total', 'press', ARRAY[0.1, 0.2])", '22023', 'release "total" has another number of epsilons',
	'two for one that has one');
$o->value("SELECT idp.share('groups', 'press', NULL)");
missing('press', 'groups', 'taken back by a null, which has no type');
$as{analyst}->value("SELECT idp_median(salary, 1, 'suppressed') FROM closed.pay WHERE salary < 2");
$o->value("SELECT idp.share('suppressed', 'press', 1)");
is($as{press}->value("SELECT idp.read('suppressed') IS NULL"), 't', 'a suppressed answer stays suppressed');

# --- Names -----------------------------------------------------------------------------------------

# of two tables
$o->value("CREATE TABLE closed.other AS TABLE closed.pay; SELECT dp_count(1e9, 'total') "
	  . "FROM closed.other WHERE id > 290");
$o->value("SELECT idp.share('total', 'press', 1e9, 'closed.other')");
my $r = $as{press}->run("SELECT idp.read('total')");
is("$r->{sqlstate} $r->{message} $r->{hint}",
	q[42P08 several tables have a release "total" Say which one, as in relation => 'closed.other'.], 'of two tables');
$s->value('GRANT USAGE ON SCHEMA closed TO press');
is($as{press}->value("SELECT idp.read('total', 'closed.other'), idp.read('total', relation => 'closed.pay'), "
	  . "idp.relax('total', 0.5, 'closed.pay')"), "10|$answer{0.5}|$answer{0.5}", 'one of them');
fails($as{press}, "idp.read('total', '-')", '42704', 'release "total" does not exist', 'neither is of no table');
fails($o, "idp.share('total', 'press', 1)", '42P08', 'several tables have a release "total"', 'to be shared likewise');
$o->value("SELECT idp.share('total', 'press', NULL, 'closed.other')");

# over no table: whoever began it; gifts of others are not in the way of what one may read
$as{nobody}->value("SELECT dp_count(1e9, 'total') FROM generate_series(1, 7)");
$as{nobody}->value("SELECT idp.share('total', 'analyst', 1e9, '-'), idp.share('total', 'press', 1e9, '-')");
is($as{analyst}->value("SELECT idp.relax('total', 0.1, 'closed.pay'), idp.relax('total', 0.5, 'closed.pay')"),
	"$answer{0.1}|$answer{0.5}", 'a gift does not stand in the way');
is($as{analyst}->value("SELECT idp.read('total'), idp.read('total', '-')"), '7|7', 'what a role began over no table');
fails($as{press}, "idp.read('total')", '42P08', 'several tables have a release "total"', 'never chosen for the reader');
is($as{press}->value("SELECT idp.read('total', '-'), idp.read('total', 'closed.pay')"), "7|$answer{0.5}",
	'by saying which');
is($as{nobody}->value("SELECT table_name IS NULL, role FROM idp.shares ORDER BY role"), "t|analyst\nt|press",
	'its shares are shown to who began it');
$as{board}->value("SELECT dp_count(1e9, 'total') FROM generate_series(1, 8)");
$as{board}->value("SELECT idp.share('total', 'press', 1e9, '-')");
$r = $as{press}->run("SELECT idp.read('total', '-')");
is("$r->{sqlstate} $r->{hint}", '42P08 View idp.shared shows them all.', 'two of no table');
is($as{press}->value("SELECT string_agg(answer, ',' ORDER BY answer) FROM idp.shared "
	  . "WHERE name = 'total' AND table_name IS NULL"), '7,8', 'which the view shows');
$as{board}->value("SELECT idp.drop_release('total', '-')");
$as{nobody}->value("SELECT idp.drop_release('total', '-')");
is($as{press}->value("SELECT idp.read('total')"), $answer{0.5}, 'dropped: there is one again');
is($s->value('SELECT count(*) FROM idp.share s WHERE NOT EXISTS (SELECT FROM idp.chain WHERE id = s.chain)'), 0,
	'nothing is left of it');

# --- Dump and restore ------------------------------------------------------------------------------

my $dir = abs_path($node->basedir);
my $given = 'SELECT name, epsilon, answer FROM idp.shared ORDER BY name';
foreach my $format ('plain', 'custom')
{
	$node->command_ok([ 'pg_dump', "--format=$format", '-f', "$dir/$format", $node->connstr('postgres') ],
		"pg_dump, $format");
	$node->safe_psql('postgres', "CREATE DATABASE copy_$format TEMPLATE template0");
	$node->command_ok($format eq 'plain'
		? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr("copy_$format"), '-f', "$dir/$format" ]
		: [ 'pg_restore', '--exit-on-error', '-d', $node->connstr("copy_$format"), "$dir/$format" ],
		"restored, $format");
	my $copy = session($node, "copy_$format");
	foreach my $role (qw(public_role board press member nobody owner))
	{
		$copy->value("RESET ROLE; SET ROLE $role");
		is($copy->value($given), $as{$role}->value($given), "$format: what $role was given");
	}
	is($copy->value('SELECT * FROM idp.shares ORDER BY 1, 2, 3'),
		$o->value('SELECT * FROM idp.shares ORDER BY 1, 2, 3'), "$format: by whom");
	costs($copy, 'closed.pay', '0', "$format: what was paid",
		sub { $copy->value("SELECT idp.share('total', 'board', 2, 'closed.pay')") }, 0);
	is($copy->value("SELECT idp.relax('total', 2, 'closed.pay')"),
		$o->value("SELECT idp.relax('total', 2, 'closed.pay')"), "$format: is answered alike");
	$copy->quit;
}

# --- What goes -------------------------------------------------------------------------------------

# the role
$s->value('CREATE ROLE guest');
$o->value("SELECT idp.share('in d1', 'guest', 1)");
$s->value('ALTER ROLE guest RENAME TO visitor');
$as{nobody}->value('RESET ROLE; SET ROLE visitor');
missing('nobody', 'in d1', 'roles are known by name');
$s->value('DROP ROLE visitor');
$o->value("SELECT idp.share('in d1', 'board', 1)");
is($o->value("SELECT count(*) FROM idp.shares WHERE role = 'guest'"), 0,
	'what a role had that is gone, goes with the next change');

# the release, and the table
$o->value("SELECT idp.refresh('in d1')");
missing('board', 'in d1', 'a release that is begun again has to be shared again');
fails($o, "idp.share('in d1', 'board', 1)", '55000', 'release "in d1" has not begun', 'when it has begun');
$o->value("BEGIN; SELECT idp.drop_release('total', 'closed.pay'); ROLLBACK");
is($as{press}->value("SELECT idp.read('total')"), $answer{0.5}, 'a drop that was rolled back');
$o->value('DROP TABLE closed.pay');
is($as{press}->value("SELECT idp.read('total'), table_name FROM idp.shared WHERE name = 'total'"),
	"$answer{0.5}|closed.pay", 'what was given stays when the table goes');
is($as{analyst}->value("SELECT idp.share('total', 'press', NULL), role FROM idp.shares "
	  . "WHERE name = 'total' AND role = 'press'"), '|press', 'and is that of who began it');
missing('press', 'total', 'who may take it back');
$as{analyst}->value("SELECT idp.drop_release('total')");
missing('public_role', 'total', 'dropped');
sound($s, 'in the end');

done_testing();
