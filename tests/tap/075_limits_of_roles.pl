# Limits of roles: what a role and its members may spend of the budget of a table, beside what its owner gave it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('limits', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value("CREATE ROLE team; CREATE ROLE analyst LOGIN; CREATE ROLE colleague LOGIN; GRANT team TO analyst, colleague; CREATE TABLE shared AS SELECT generate_series(1, 10) x; GRANT SELECT ON shared TO analyst, colleague");
my $a = session($node);
$a->value('SET ROLE analyst');
my $b = session($node);
$b->value('SET ROLE colleague');
like($s->run("SELECT idp.limit_role('shared', 'team', 1)")->{message}, qr/^table "shared" is not protected/, 'a limit is one of a budget');
$s->value("SELECT idp.protect('shared', 10, rows => 'hidden'), idp.limit_role('shared', 'team', 3), idp.limit_role('shared', 'analyst', 2)");
like($a->run("SELECT idp.limit_role('shared', 'analyst', 100)")->{message}, qr/^must be owner of table shared/, 'for the owner');
like($s->run("SELECT idp.limit_role('shared', 'analyst', $_)")->{message}, qr/^budget must be a finite number, at least 0/, "not $_") foreach "'NaN'", -1, "'infinity'";
is($a->run('SELECT dp_count(1.5) FROM shared')->{sqlstate}, undef, 'within all limits');
my $limited = $a->run('SELECT dp_count(1.0) FROM shared');
is("$limited->{sqlstate} $limited->{message}", 'IDP01 privacy budget of role "analyst" for table "shared" is exhausted', 'beyond its own');
is($limited->{detail}, 'The query needs 1; 0.5 of 2 remains.', 'saying what is left');
is($b->run('SELECT dp_count(1.0) FROM shared')->{sqlstate}, undef, 'a colleague has none of his own');
like($b->run('SELECT dp_count(1.0) FROM shared')->{message}, qr/^privacy budget of role "team"/, 'but that of the team');
is($a->run('SELECT dp_count(0.5) FROM shared')->{sqlstate}, undef, 'which leaves 0.5 to the analyst');
like($a->run("SELECT dp_count(0.125, 'shared') FROM shared")->{message}, qr/^privacy budget of role/, 'a release is charged likewise');
$s->value('DROP OWNED BY colleague');
$b->value('RESET ROLE');
$s->value('DROP ROLE colleague');
is($s->run('SELECT dp_count(1.0) FROM shared')->{sqlstate}, undef, 'the owner has no limit');
$s->value("SELECT idp.limit_role('shared', 'team', NULL), idp.limit_role('shared', 'analyst', 3.5)");
is($a->run('SELECT dp_count(0.5) FROM shared')->{sqlstate}, undef, 'a limit that was raised, and one that was ended');
like($a->run('SELECT dp_count(0.125) FROM shared')->{message}, qr/role "analyst"/, 'what was charged to a role that is gone counts');
sound($s, 'in the end');

done_testing();
