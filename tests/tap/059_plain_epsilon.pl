# What a plain aggregate costs: idp.epsilon, where somebody set it, or else what the owner of the table said, and no
# more than he allows.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('plain_epsilon', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS idp;
CREATE ROLE analyst LOGIN; CREATE ROLE careful LOGIN;
CREATE TABLE few (id int PRIMARY KEY, x int); CREATE TABLE many (id int PRIMARY KEY, x int);
CREATE TABLE others (id int PRIMARY KEY);
INSERT INTO few SELECT i, i FROM generate_series(1, 100) i; INSERT INTO many SELECT i, i FROM generate_series(1, 100) i;
SELECT idp.protect('few', 1e6, epsilon => 0.25, max_epsilon => 2), idp.protect('many', 1e6, epsilon => 0.5),
  idp.protect('others', 1e6);
GRANT SELECT ON few, many, others TO analyst, careful;
ALTER ROLE careful SET idp.epsilon = 0.125;
SQL
is($s->value("SELECT string_agg(concat_ws(' ', table_name, epsilon, max_epsilon, repeat), ', ' ORDER BY table_name) "
	  . "FROM idp.protection"), 'few 0.25 2 never, many 0.5 never, others never',
	'idp.protection shows what the owner said');
my $a = session($node);
$a->value('SET ROLE analyst');

sub cost
{
	return $a->value('SELECT string_agg(relation || \' \' || epsilon, \', \' ORDER BY relation::text) '
		  . 'FROM idp.cost($query$' . $_[0] . '$query$)');
}

is(cost('SELECT count(*) FROM few'), 'few 0.25', 'the default of the table');
is(cost('SELECT count(*), avg(x) FROM many'), 'many 1.0', '... of each number');
is(cost('SELECT count(*) FROM others'), 'others 0.1', 'a table without one');
is(cost('SELECT (SELECT count(*) FROM few), (SELECT count(*) FROM many)'), 'few 0.25, many 0.5', 'each of its own');
is(cost('SELECT count(*) FROM (SELECT id FROM few UNION ALL SELECT id FROM many) t'), 'few 0.25, many 0.5',
	'each part by itself');
is(cost('SELECT avg(id) FROM (SELECT id FROM few UNION ALL SELECT id FROM many) t'), 'few 0.25, many 0.25',
	'the least of two');
is(cost('SELECT dp_count(1) FROM few'), 'few 1', 'what is written as it is');

my $before = $s->value('SELECT sum(spent) FROM idp.budget');
$a->value('PREPARE p AS SELECT count(*) FROM few; EXECUTE p; SET plan_cache_mode = force_generic_plan; EXECUTE p');
is($s->value("SELECT sum(spent) - $before FROM idp.budget"), '0.50', 'and that is charged');
$s->value("SELECT idp.protect('few', 1e6, epsilon => 1)");
$before = $s->value('SELECT sum(spent) FROM idp.budget');
$a->value('EXECUTE p');
is($s->value("SELECT sum(spent) - $before FROM idp.budget"), '1.00', 'a plan that is kept follows the owner');
$s->value("SELECT idp.protect('few', 1e6, epsilon => 0.25)");

$a->value('SET idp.epsilon = 1.5');
is(cost('SELECT count(*) FROM few'), 'few 1.5', 'what the session set');
$a->value('SET idp.epsilon = 0.1');
is(cost('SELECT count(*) FROM few'), 'few 0.1', 'also if it is what nobody set');
$a->value('RESET idp.epsilon');
is(cost('SELECT count(*) FROM few'), 'few 0.25', 'and forgot again');
is($a->value('BEGIN; SET LOCAL idp.epsilon = 0.75; SELECT epsilon FROM idp.cost(\'SELECT count(*) FROM few\'); COMMIT; '
	  . 'SELECT epsilon FROM idp.cost(\'SELECT count(*) FROM few\')'), "0.75\n0.25", 'in a transaction');
is(session($node)->value("SET SESSION AUTHORIZATION careful; SELECT epsilon FROM idp.cost('SELECT count(*) FROM few')"),
	'0.25', 'SET SESSION AUTHORIZATION brings no settings');
is($node->safe_psql('postgres', "SELECT epsilon FROM idp.cost('SELECT count(*) FROM few')",
	extra_params => [ '-U', 'careful' ]), '0.125', 'what the role has');

$a->value('SET idp.epsilon = 3');
my $too_much = qr/^epsilon is above the maximum of table "few": give at most 2$/;
like($a->run($_)->{message}, $too_much, "no more than the owner allows: $_")
  foreach 'SELECT count(*) FROM few', 'SELECT dp_count(2.5) FROM few', 'SELECT idp_median(x, ARRAY[1, 2.5]) FROM few';
is($s->value("SELECT spent FROM idp.budget WHERE table_name = 'few'"), '1.50', 'and nothing was charged for that');
is(cost('SELECT count(*) FROM many'), 'many 3', 'where he does not say, any');
like($s->run("SELECT idp.protect('few', 1e6, $_)")->{message}, qr/must be in this order$/, "refused: $_")
  foreach 'epsilon => 3', 'max_epsilon => 0.2', 'min_epsilon => 1';
like($s->run("SELECT idp.protect('few', 1e6, epsilon => $_)")->{message}, qr/epsilon/, "refused: $_")
  foreach -1, "'NaN'", "'Infinity'";
$s->value("SELECT idp.protect('few', 1e6, epsilon => 0, max_epsilon => 0)");
is(cost('SELECT count(*) FROM few'), 'few 3', '0 takes them away');

done_testing();
