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
$s->value("CREATE ROLE team; CREATE ROLE analyst LOGIN; CREATE ROLE colleague LOGIN; GRANT team TO analyst, colleague; "
	  . "CREATE TABLE shared AS SELECT generate_series(1, 10) x; GRANT SELECT ON shared TO analyst, colleague");
my $a = session($node);
$a->value('SET ROLE analyst');
my $b = session($node);
$b->value('SET ROLE colleague');
$s->value($_) foreach 'CREATE TABLE members (id int PRIMARY KEY)',
  'CREATE TABLE loans (id int PRIMARY KEY, member int NOT NULL REFERENCES members)',
  "SELECT idp.protect('members', 1, unit => 'id'), idp.link('loans', 'member', 'members')";
like($s->run("SELECT idp.limit_role('loans', 'team', 1)")->{message},
	qr/^table "loans" shares the account of table "members": limit the role there/,
	'a limit of a linked table is one of its persons');
like($s->run("SELECT idp.limit_role('shared', 'team', 1)")->{message}, qr/^table "shared" is not protected/,
	'a limit is one of a budget');
$s->value("SELECT idp.protect('shared', 10, rows => 'hidden'), idp.limit_role('shared', 'team', 3), "
	  . "idp.limit_role('shared', 'analyst', 2)");
like($a->run("SELECT idp.limit_role('shared', 'analyst', 100)")->{message}, qr/^must be owner of table shared/,
	'for the owner');
like($s->run("SELECT idp.limit_role('shared', 'analyst', $_)")->{message},
	qr/^budget must be a finite number, at least 0/, "not $_") foreach "'NaN'", -1, "'infinity'";
is($a->run('SELECT dp_count(1.5) FROM shared')->{sqlstate}, undef, 'within all limits');
my $limited = $a->run('SELECT dp_count(1.0) FROM shared');
is("$limited->{sqlstate} $limited->{message}", 'IDP01 privacy budget of role "analyst" for table "shared" is exhausted',
	'beyond its own');
is($limited->{detail}, 'The query needs 1; 0.5 of 2 remains.', 'saying what is left');
is($a->value("SELECT remaining FROM idp.budget WHERE table_name = 'shared'"), 0.5, 'as idp.budget says');
is($_->[0]->value("SELECT remaining FROM idp.budget WHERE table_name = 'shared'"), $_->[1], '... to each')
  foreach [ $b, 1.5 ], [ $s, 8.5 ];
is($b->run('SELECT dp_count(1.0) FROM shared')->{sqlstate}, undef, 'a colleague has none of his own');
like($b->run('SELECT dp_count(1.0) FROM shared')->{message}, qr/^privacy budget of role "team"/,
	'but that of the team');
is($a->run('SELECT dp_count(0.5) FROM shared')->{sqlstate}, undef, 'which leaves 0.5 to the analyst');
like($a->run("SELECT dp_count(0.125, 'shared') FROM shared")->{message}, qr/^privacy budget of role/,
	'a release is charged likewise');
# A view is read by the rights of its owner.
$s->value(<<'SQL');
CREATE ROLE stranger; CREATE ROLE keeper; CREATE SCHEMA keeping AUTHORIZATION keeper;
CREATE SCHEMA of_analyst AUTHORIZATION analyst; GRANT USAGE ON SCHEMA of_analyst, keeping TO stranger, colleague;
GRANT SELECT ON shared TO keeper;
CREATE TABLE parts (x int) PARTITION BY RANGE (x); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
INSERT INTO parts SELECT generate_series(1, 10);
SELECT idp.protect('parts', 10, rows => 'hidden', per => 'partition'), idp.limit_role('parts', 'team', 1);
GRANT SELECT ON parts TO analyst;
SQL
$a->value('CREATE VIEW of_analyst.seen AS SELECT x FROM public.shared; CREATE VIEW of_analyst.seen_parts AS SELECT x '
	  . 'FROM public.parts; GRANT SELECT ON of_analyst.seen, of_analyst.seen_parts TO stranger, colleague');
$s->value('SET ROLE keeper; CREATE VIEW keeping.seen AS SELECT x FROM public.shared; CREATE VIEW keeping.through '
	  . 'AS SELECT x FROM keeping.seen; GRANT SELECT ON keeping.seen, keeping.through TO stranger; RESET ROLE');
my $c = session($node);
$c->value('SET ROLE stranger');
my $spent = $s->value("SELECT count(*), sum(epsilon) FROM idp.ledger");
foreach my $from ('of_analyst.seen', '(SELECT x FROM of_analyst.seen WHERE x > 2) v', 'of_analyst.seen_parts')
{
	my $refused = $c->run("SELECT dp_count(0.25) FROM $from");
	my $table = $from =~ /parts/ ? 'parts' : 'shared';
	is("$refused->{sqlstate} $refused->{message}", qq{42501 private answers about table "$table" are not given through }
		  . qq{a view of role "analyst", which has a limit that does not bind who asks}, "a stranger: $from");
	is($refused->{detail}, 'What is asked through it would not count for the limit of role "'
		  . ($table eq 'parts' ? 'team' : 'analyst') . '".', '... saying which limit') if $table eq 'parts';
}
is($s->value("SELECT count(*), sum(epsilon) FROM idp.ledger"), $spent, 'charged nothing');
is($c->run("SELECT dp_count(0.25) FROM keeping.$_")->{sqlstate}, undef, "by the rights of a role without a limit: $_")
  foreach 'seen', 'through';
is($b->run('SELECT dp_count(0.25) FROM of_analyst.seen_parts')->{sqlstate}, undef,
	'a member of the team is bound by its limit');
like($b->run('SELECT dp_count(1.0) FROM of_analyst.seen_parts')->{message}, qr/^privacy budget of role "team"/,
	'... which counts it');
$s->value("SELECT idp.limit_role('shared', 'team', NULL)");
is($b->run('SELECT dp_count(0.25) FROM of_analyst.seen')->{sqlstate}, undef, 'who may read the table needs no view');
$s->value("SELECT idp.limit_role('shared', 'team', 3.75), idp.protect('shared', 12)");
$s->value('DROP OWNED BY colleague');
$b->value('RESET ROLE');
$s->value('DROP ROLE colleague');
is($s->run('SELECT dp_count(1.0) FROM shared')->{sqlstate}, undef, 'the owner has no limit');
$s->value("SELECT idp.limit_role('shared', 'team', NULL), idp.limit_role('shared', 'analyst', 3.75)");
is($a->run('SELECT dp_count(0.5) FROM shared')->{sqlstate}, undef, 'a limit that was raised, and one that was ended');
like($a->run('SELECT dp_count(0.125) FROM shared')->{message}, qr/role "analyst"/,
	'what was charged to a role that is gone counts');
sound($s, 'in the end');

done_testing();
