# Named releases with GROUP BY: what goes wrong for a group is no error, which would tell that the
# group is there, at no cost. What the query may cost is known before a row is read; then a group
# has its answer, or none.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('groups');
my ($s, $watch) = (session($node), session($node));

# Two worlds: 'rare' is a group of table there, and not of table gone.
$s->value(<<'SQL');
CREATE ROLE anna; CREATE ROLE berta;
CREATE TABLE there AS SELECT i AS x, CASE i WHEN 1 THEN 'rare' ELSE 'often' END AS k, i % 2 AS g
  FROM generate_series(1, 90) i;
CREATE TABLE gone AS SELECT * FROM there WHERE k <> 'rare';
GRANT SELECT ON there, gone TO berta;
GRANT SELECT (k) ON there, gone TO anna;
SQL
my @worlds = ('there', 'gone');

# Asks the same in both worlds; ? stands for the table. Passes if both fail in the same way, or
# neither does; returns the two outcomes.
sub alike
{
	my ($session, $sql, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @outcomes = map { $session->run($sql =~ s/\?/$_/gr) } @worlds;
	my @errors = map {
		my $e = "$_->{sqlstate} $_->{message} $_->{detail}" if defined $_->{sqlstate};
		($e // 'no error') =~ s/\b(there|gone)\b/?/gr
	} @outcomes;
	is($errors[0], $errors[1], "$name: no error tells");
	return @outcomes;
}
# The groups with an answer, in a string.
sub answered { return join ' ', map { /^(\S+)\|\S/ ? $1 : () } split /\n/, $_[0]->{out} }
sub protected { $s->value("SELECT idp.protect('$_', $_[0], 'add_remove', rows => 'visible')") foreach @worlds }
sub stored
{
	return $watch->value("SELECT coalesce(string_agg(DISTINCT name, ' ' ORDER BY name), '') FROM idp.chain "
		  . "WHERE name LIKE '$_[0]%'");
}

# --- The budget ----------------------------------------------------------------------------------

protected(1);
foreach my $where ("k = 'rare'", "k <> 'often'", 'x < 2', 'true')
{
	my @r = alike($s, "SELECT k, dp_count(2, 'over/?/' || k) FROM ? WHERE $where GROUP BY k",
		"beyond the budget, WHERE $where");
	is($r[1]->{sqlstate}, 'IDP01', '... refused');
	is($r[1]->{detail}, 'The query needs 2; 1 of 1 remains.', '... saying why');
}
alike($s, "SELECT k, g, dp_count(0.4, 'sets/?/' || coalesce(k, '') || coalesce(g, 2)) FROM ? WHERE k = 'rare' "
	  . "GROUP BY CUBE (k, g)", 'all grouping sets');
alike($s, "SELECT k, dp_count(0.6, 'one/?/' || k), dp_count(0.6, 'two/?/' || k) FROM ? WHERE k = 'rare' GROUP BY k",
	'two calls');
alike($s, "SELECT k, dp_count(0.6), dp_count(0.6, 'beside/?/' || k) FROM ? WHERE k = 'rare' GROUP BY k",
	'beside a call without a name');
alike($s, "SELECT k FROM ? GROUP BY k HAVING dp_count(2, 'having/?/' || k) > 0 AND k = 'rare'", 'HAVING');
is(spent($watch, $_), '0', "$_: nothing was charged") foreach @worlds;
is(stored(''), '', '... or stored');

# before a row is read, all together or none
my $r = $s->run("SELECT dp_count(0.6, 'first'), dp_count(0.6, 'second') FROM there WHERE 1 / (x - x) = 1");
is("$r->{sqlstate} $r->{detail}", 'IDP01 The query needs 1.2; 1 of 1 remains.',
	'two names are refused together, before a row is read');
$s->value("SELECT dp_count(0.3, 'first'), dp_count(0.5, 'first'), dp_count(0.4, 'first') FROM there");
is(spent($watch, 'there'), '0.5', 'the same name counts once');
$r = $s->run("SELECT dp_count(1.1, 'first') FROM there WHERE 1 / (x - x) = 1");
is($r->{message}, 'release "first" stands for another question', 'what is wrong with the name comes first');
$r = $s->run("SELECT dp_count(1.1, 'first') FROM there");
is($r->{detail}, 'The query needs 0.6; 0.5 of 1 remains.', 'a release is refined by the difference');

# what is stored costs nothing when the budget is spent, and what is not has no answer
protected(2);
$s->value("SELECT k, dp_count(1, 'known/$_/' || k) FROM $_ WHERE k = 'often' GROUP BY k") foreach @worlds;
protected(1.5);
my @r = alike($s, "SELECT k, dp_count(1, 'known/?/' || k) FROM ? GROUP BY k ORDER BY k", 'some groups are stored');
is(answered($_), 'often', '... and repeated, others have no answer') foreach @r;
like($_->{err}, qr/NOTICE: .*budget of table "\w+" does not suffice/, '... as is said whatever groups there are')
  foreach @r;
is(stored('known'), 'known/gone/often known/there/often', '... and nothing is stored');

# who spends meanwhile
protected(10);
foreach my $case ([ 'groups', "SELECT k, dp_count(5, 'race/' || k) FROM there GROUP BY k" ],
	[ 'no groups', "SELECT 1, dp_count(5, 'race') FROM there" ])
{
	my ($name, $sql) = @$case;
	my $before = spent($watch, 'there');
	$s->value("SELECT idp.protect('there', $before + 5, 'add_remove')");
	$s->value("BEGIN; DECLARE c CURSOR FOR $sql");
	$watch->value('SELECT dp_count(1) FROM there');
	$r = $s->run('FETCH ALL c');
	$s->run('ROLLBACK');
	is($name eq 'groups' ? ($r->{message} // answered($r)) : $r->{sqlstate}, $name eq 'groups' ? '' : 'IDP01',
		"$name: another session spends after the start");
	is(spent($watch, 'there') - $before, 1, '... and the budget holds');
}
is(stored('race'), '', '... and nothing is stored');

# --- The name ------------------------------------------------------------------------------------

protected(1000);
my $costs = sub {
	my ($sql, $answered, $name, $session) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @before = map { spent($watch, $_) } @worlds;
	my @r = alike($session // $s, $sql, $name);
	is(answered($r[0]), $answered, "$name: who has an answer");
	is(answered($r[1]), 'often', "$name: ... without the group");
	is($watch->value(sprintf "SELECT trim_scale(spent - %s) FROM idp.budget WHERE table_name = '%s'", $before[$_],
		$worlds[$_]), '1', "$name: charged for the others") foreach 0 .. 1;
	return;
};
$costs->("SELECT k, dp_count(1, CASE k WHEN 'rare' THEN repeat('x', 201) ELSE 'long/?/' || k END) FROM ? "
	  . "GROUP BY k ORDER BY k", 'often', 'a name that is too long');
$costs->("SELECT k, dp_count(1, CASE k WHEN 'rare' THEN NULL ELSE 'null/?/' || k END) FROM ? GROUP BY k ORDER BY k",
	'often', 'no name');
is($watch->value('SELECT max(length(name)) < 201 FROM idp.chain'), 't', '... is not stored');

$s->value("SELECT dp_sum(x, 1, 0, 9, 'other/$_/rare'), dp_count(1, 'rows/$_/rare') FROM $_") foreach @worlds;
$costs->("SELECT k, dp_count(1, 'other/?/' || k) FROM ? GROUP BY k ORDER BY k", 'often',
	'a name that stands for another aggregate');
$costs->("SELECT k, dp_count(1, 'rows/?/' || k) FROM ? GROUP BY k ORDER BY k", 'often',
	'a name that stands for other rows');

# of another column than one may read
$s->value("SELECT dp_sum(x, 1, 0, 9, 'mine/$_/' || k) FROM $_ WHERE k = 'rare' GROUP BY k") foreach @worlds;
$s->value("SELECT dp_sum(x, 1, 0, 9, 'mine/gone/rare') FROM gone WHERE k = 'rare'");
my $anna = session($node);
$anna->value('SET ROLE anna');
$costs->("SELECT k, dp_count(1, 'mine/?/' || k) FROM ? GROUP BY k ORDER BY k", 'often rare',
	'a name that another role gave to a release one may not read', $anna);

# two groups of one name
@r = alike($s, "SELECT 'x' || count(*), dp_count(1, 'shared/?/' || left(k, 0)) FROM ? GROUP BY k",
	'two groups of one name');
is(scalar(split ' ', answered($_)), 1, '... one is answered') foreach @r;
is(stored('shared'), 'shared/gone/ shared/there/', '... one is stored');
@r = alike($s, "SELECT k, dp_count(1, 'lacks/?/' || g) FROM ? GROUP BY k, g", 'a name that lacks a key');
like($_->{err}, qr/NOTICE: .*release is not made of all GROUP BY columns/, '... as is said whatever groups there are')
  foreach @r;
unlike($s->run("SELECT k, dp_count(1, 'has/' || k || g) FROM there GROUP BY k, g")->{err}, qr/NOTICE/,
	'... and not of a name that has all');

# a key that cannot be printed
$s->value(<<'SQL');
CREATE TYPE colour AS ENUM ('red', 'blue');
CREATE TABLE coloured AS SELECT (ARRAY['red', 'blue'])[1 + (i = 1)::int]::colour AS k FROM generate_series(1, 20) i;
SELECT idp.protect('coloured', 100, 'add_remove', rows => 'visible');
DELETE FROM pg_enum WHERE enumlabel = 'blue';
SQL
$r = $s->run("SELECT CASE k WHEN 'red' THEN 'red' ELSE 'other' END, "
	  . "dp_count(1, CASE k WHEN 'red' THEN 'colour/red' ELSE 'colour/blue' END) FROM coloured GROUP BY k");
is($r->{message} // answered($r), 'red', 'a key that cannot be printed: no answer, and no error');
$r = fresh_query($node, "SET exit_on_error = on; SELECT CASE k WHEN 'red' THEN 'red' ELSE 'other' END, "
	  . "dp_count(1, CASE k WHEN 'red' THEN 'colour/red' ELSE 'colour/blue' END) FROM coloured GROUP BY k");
is($r->{message} // answered($r), 'red', '... nor the end of a session that ends with errors');
is($s->value("SHOW search_path") . $s->value("SHOW datestyle"), '"$user", publicISO, MDY',
	'... the settings of the session are its own');
is(stored('colour'), 'colour/red', '... and nothing is stored');
is(spent($watch, 'coloured'), '1', '... the other group is charged');

# in the leader of a parallel plan, with sorted groups, by partitions
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . 'ALTER TABLE coloured SET (parallel_workers = 2)');
foreach my $setting ('enable_hashagg = on', 'enable_hashagg = off', "$IdpTest::force_parallel = on")
{
	$s->value("SET $setting");
	$r = $s->run("SELECT CASE k WHEN 'red' THEN 'red' ELSE 'other' END, "
		  . "dp_count(1, CASE k WHEN 'red' THEN 'colour/red' ELSE 'colour/blue' END) FROM coloured GROUP BY k");
	is($r->{message} // answered($r), 'red', "$setting: the same");
}
sound($s, 'after all');
$s->alive('at the end');
$_->quit foreach $s, $watch, $anna;
$node->stop;
done_testing();
