# Limits of roles bind whoever asks: by the current role, by the one that SET ROLE chose, and by the
# one of the session. Row 28 of the attacks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('role_limits');
my ($s, $a) = (session($node), session($node));
$s->value(<<'SQL');
CREATE ROLE keeper; CREATE ROLE analysts; CREATE ROLE helper; CREATE ROLE team;
CREATE ROLE mallory LOGIN IN ROLE analysts, team;
CREATE ROLE other LOGIN IN ROLE analysts;
CREATE ROLE anna; CREATE ROLE berta;
CREATE ROLE pool LOGIN NOINHERIT IN ROLE anna, berta, mallory;
CREATE ROLE heir LOGIN INHERIT IN ROLE anna, berta;
GRANT CREATE ON SCHEMA public TO keeper, helper;
SET ROLE keeper;
CREATE TABLE staff AS SELECT generate_series(1, 9) AS x;
GRANT SELECT ON staff TO analysts, helper, anna, berta;
CREATE FUNCTION of_keeper() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = public, pg_temp AS 'SELECT dp_count(1) FROM staff';
SET ROLE helper;
CREATE FUNCTION of_helper() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = public, pg_temp AS 'SELECT dp_count(1) FROM staff';
RESET ROLE;
SQL
my $ask = 'SELECT dp_count(1) FROM staff';

sub begin_account
{
	my @limits = @_;
	$s->value('TRUNCATE idp.charge, idp.account, idp.role_limit');
	$s->value('SET ROLE keeper');
	$s->value("SELECT idp.protect('staff', 1000, rows => 'visible')");
	$s->value("SELECT idp.limit_role('staff', '$_->[0]', $_->[1])") foreach @limits;
	$s->value('RESET ROLE');
}

# In a session of a role; what comes before the question is not asked.
sub asked
{
	my ($role, $before, $question) = @_;
	$a->value("RESET SESSION AUTHORIZATION");
	$a->value("SET SESSION AUTHORIZATION $role");
	$a->value($before) if $before;
	my $result = $a->run($question // $ask);
	$a->value('ROLLBACK') if $before =~ /BEGIN/;
	return $result;
}
sub answered
{
	my ($name, @question) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(asked(@question)->{sqlstate}, undef, $name);
}
sub refused
{
	my ($name, $role, @question) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = asked(@question);
	is(($r->{sqlstate} // 'answered') . ' ' . ($r->{message} // ''),
		qq[IDP01 privacy budget of role "$role" for table "staff" is exhausted], $name);
}

# --- a group that one is a member of --------------------------------------------------------------------

begin_account([ 'mallory', 2 ]);
answered('within the limit, as a group', 'mallory', 'SET ROLE analysts');
answered('within the limit', 'mallory', '');
refused('beyond it', 'mallory', 'mallory', '');
refused('beyond it, as a group: SET ROLE', 'mallory', 'mallory', 'SET ROLE analysts');
refused('SET ROLE in a transaction', 'mallory', 'mallory', 'BEGIN; SET LOCAL ROLE analysts');
refused('a named release', 'mallory', 'mallory', 'SET ROLE analysts', "SELECT dp_count(1, 'mine') FROM staff");
answered('the group itself has none: another member', 'other', 'SET ROLE analysts');
is($s->value("SELECT string_agg(role || ' ' || session_role, ', ' ORDER BY at) FROM idp.ledger"),
	'analysts mallory, mallory mallory, analysts other', 'the ledger shows who asked');

begin_account([ 'team', 1 ]);
answered('within the limit of another group', 'mallory', 'SET ROLE analysts');
refused('beyond it', 'team', 'mallory', 'SET ROLE analysts');
refused('beyond it, as that group', 'team', 'mallory', 'SET ROLE team', 'SET ROLE mallory; ' . $ask);
answered('who is no member has none', 'other', 'SET ROLE analysts');

# --- functions with the rights of another -----------------------------------------------------------------

begin_account([ 'mallory', 2 ]);
answered("through a function of the owner's", 'mallory', '', 'SELECT of_keeper()');
answered("through a function of another's, as a group", 'mallory', 'SET ROLE analysts', 'SELECT of_helper()');
refused('beyond the limit', 'mallory', 'mallory', '', 'SELECT of_keeper()');
refused("beyond it, through another's", 'mallory', 'mallory', '', 'SELECT of_helper()');
refused('beyond it, as a group', 'mallory', 'mallory', 'SET ROLE analysts', 'SELECT of_helper()');
refused('beyond it, of a pool', 'mallory', 'pool', 'SET ROLE mallory', 'SELECT of_helper()');
answered('of a pool: another user', 'pool', 'SET ROLE berta', 'SELECT of_helper()');

# --- pools ---------------------------------------------------------------------------------------------------

begin_account([ 'anna', 1 ], [ 'berta', 1 ]);
answered('a user of a pool', 'pool', 'SET ROLE anna');
refused('... beyond her limit', 'anna', 'pool', 'SET ROLE anna');
answered('another one', 'pool', 'SET ROLE berta');
begin_account([ 'pool', 2 ]);
answered('a limit of the pool', 'pool', "SET ROLE $_") foreach 'anna', 'berta';
refused('... counts everybody', 'pool', 'pool', "SET ROLE $_") foreach 'anna', 'berta';
begin_account([ 'anna', 1 ]);
answered('a session with the rights of all users', 'heir', 'SET ROLE berta');
refused('... has the limits of all', 'anna', 'heir', 'SET ROLE berta');

# --- the view shows them to the owner, and to those whom they bind ---------------------------------------------

begin_account([ 'mallory', 3 ], [ 'team', 5 ], [ 'anna', 2 ]);
asked('mallory', 'SET ROLE analysts') foreach 1, 2;
asked('other', 'SET ROLE analysts');
my $limits = 'SELECT table_name, role, total, spent, remaining FROM idp.limits ORDER BY role';
is(asked('keeper', '', $limits)->{out}, "staff|anna|2|0|2\nstaff|mallory|3|2|1\nstaff|team|5|2|3", 'to the owner all');
is(asked('mallory', '', $limits)->{out}, "staff|mallory|3|2|1\nstaff|team|5|2|3", 'to a member his own');
is(asked('other', '', $limits)->{out}, '', 'to others none');
is(asked('other', '', "SELECT count(*) FROM idp.account a, idp.limit_spent(a.id, 'team') "
	  . "WHERE limit_spent IS NOT NULL")->{sqlstate}, '42501', 'nobody lists accounts');
is(asked('other', '', "SELECT count(*) FROM generate_series(1, 100) i, idp.limit_spent(i, 'team') s "
	  . "WHERE s IS NOT NULL")->{out}, 0, 'nor asks for one by its number');

# --- nothing gives it back -------------------------------------------------------------------------------------

begin_account([ 'mallory', 1 ]);
answered('in a transaction that is rolled back', 'mallory', 'BEGIN; SET LOCAL ROLE analysts');
refused('... is charged', 'mallory', 'mallory', 'SET ROLE analysts');

# --- charges of 0.2.0, which do not say whose session it was ---------------------------------------------------

begin_account([ 'mallory', 3 ], [ 'analysts', 5 ]);
$s->value("INSERT INTO idp.charge (account, entry, at, role, aggregate, epsilon, spent) "
	  . "SELECT id, 1, now(), 'mallory', 'dp_count', 2, 2 FROM idp.account");
answered('a charge of 0.2.0 counts for its role', 'mallory', 'SET ROLE analysts');
refused('... and for no more', 'mallory', 'mallory', 'SET ROLE analysts');

# who creates roles is a member of them, which gives her nothing
if ($major >= 16)
{
	$s->value('CREATE ROLE admin LOGIN CREATEROLE IN ROLE analysts; SET SESSION AUTHORIZATION admin; '
		  . 'CREATE ROLE made LOGIN; RESET SESSION AUTHORIZATION; GRANT analysts TO made');
	begin_account([ 'made', 1 ]);
	answered('who created a role is not bound by its limit', 'admin', '') foreach 1, 2;
	answered('... nor uses it up', 'made', '');
	refused('... which binds that role', 'made', 'made', '');
	$s->value('GRANT made TO admin WITH SET TRUE');
	refused('... and who may take it on', 'made', 'admin', '');
}

# a role of a session that is gone
begin_account([ 'team', 1 ]);
$s->value('CREATE ROLE passing LOGIN IN ROLE analysts');
answered('who is no member', 'passing', 'SET ROLE analysts');
$s->value('DROP ROLE passing');
refused('... counts once that is not known any more', 'team', 'mallory', 'SET ROLE analysts');

$_->quit foreach $s, $a;
$node->stop;
done_testing();
