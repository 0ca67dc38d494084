# Numbers that are kept and asked again with more epsilon are refined for the difference: by the law of named releases,
# over the data as they were at the first answer, one level after the other whoever asks and whatever fails; and what
# cannot be refined is drawn anew, whole.
#
# The law fails for a right implementation with a probability below FAILURE (1e-15) for each of the bounds, of which
# there are fewer than 30.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('refined_numbers', "shared_preload_libraries = 'idp'", 'max_connections = 40', 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE sales (id int PRIMARY KEY, status text NOT NULL, n int NOT NULL);
CREATE FUNCTION fill() RETURNS void LANGUAGE sql AS $$
	INSERT INTO sales SELECT i, (ARRAY['new', 'paid', 'sent'])[1 + i % 3], i % 10 FROM generate_series(1, 3000) i $$;
SELECT fill();
SELECT idp.protect('sales', 1e6, 'add_remove', delta => 1e-3, repeat => 'forever');
SELECT idp.set_domain('sales', 'status', ARRAY['new', 'paid', 'sent', 'lost']), idp.set_domain('sales', 'n', 0, 10);
CREATE TABLE cells (id int PRIMARY KEY, key int NOT NULL);
INSERT INTO cells VALUES (1, 0);
SELECT idp.protect('cells', 1e6, 'add_remove', repeat => 'forever'),
  idp.set_domain('cells', 'key', ARRAY(SELECT generate_series(1, 3000)));
CREATE ROLE ana; CREATE ROLE bob;
GRANT SELECT ON sales, cells TO ana, bob;
SQL
my $ana = session($node);
$ana->value('SET client_min_messages = error; SET ROLE ana');
my $bob = session($node);
$bob->value('SET client_min_messages = error; SET ROLE bob');

# A statement that costs so much, as idp.cost says too.
sub asked
{
	my ($query, $cost, $name, $table) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is($ana->value("SELECT coalesce(sum(epsilon), 0) FROM idp.cost(\$q\$$query\$q\$)") + 0, $cost,
		"$name: idp.cost says $cost");
	my $answer;
	costs($s, $table // 'sales', $cost, $name, sub { $answer = $ana->value($query) });
	return $answer;
}

# --- What it costs --------------------------------------------------------------------------------

asked('SELECT dp_count(0.1) FROM sales', 0.1, 'a count');
my $half = asked('SELECT dp_count(0.5) FROM sales', 0.4, 'with more epsilon: the difference');
is(asked('SELECT dp_count(0.5) FROM sales', 0, 'again'), $half, '... the same');
is(asked('SELECT dp_count(0.2) FROM sales', 0, 'with less'), $half, '... what is there');
like($ana->value('EXPLAIN SELECT dp_count(2) FROM sales'),
	qr/epsilon 2, refined from epsilon 0\.5, costs 1\.5 of table sales/, 'EXPLAIN says so');
asked('SELECT dp_count(2), dp_sum(n, 1, 0, 10) FROM sales', 2.5, 'beside a number that is new');
asked('SELECT dp_count(2.25), dp_sum(n, 1, 0, 10), dp_median(n, 1, 0, 10) FROM sales', 1.25,
	'one the same, one refined, one new');
asked('SELECT dp_count(3), dp_count(4), (SELECT dp_count(3.5) FROM sales) FROM sales', 0.75 + 1.75 + 1.25,
	'three times in one statement');
is($s->value("SELECT string_agg(epsilons::text || costs::text, ' ') FROM idp.answer WHERE question = 'dp_count "
	  . "FROM public.sales'"), '{4}{5.25}', '... of one draw the finest level is kept, with what was charged for that');
asked('SELECT dp_count(4) FROM sales', 0, 'which is there');
is($s->value("SELECT sum(epsilon) FROM idp.ledger WHERE aggregate = 'dp_count'"), '6.00', 'all charges of the count');
is($s->value("SELECT sum(l.epsilon), bool_and(l.aggregate = 'dp_count') FROM idp.ledger l "
	  . "JOIN idp.answers a ON l.charge = ANY (a.charges) WHERE question = 'dp_count FROM public.sales'"), '5.25|t',
	'... those that paid for an answer');
is($s->value('SELECT count(*) FROM idp.answers a WHERE cost <> (SELECT sum(l.epsilon) FROM idp.ledger l '
	  . 'WHERE l.charge = ANY (a.charges))'), 0, '... as for all answers');

my %first = map { split /\|/ }
  split /\n/, asked('SELECT status, dp_count(0.5) FROM sales GROUP BY status', 0.5, 'groups');
my %more = map { split /\|/ } split /\n/,
  asked('SELECT status, dp_count(8) FROM sales GROUP BY status ORDER BY 1 DESC', 7.5, 'groups with more epsilon');
is(join(' ', sort keys %more), 'lost new paid sent', '... are the same');
cmp_ok(abs($more{$_} - ($_ eq 'lost' ? 0 : 1000)), '<', 9, "... near the truth: $_") foreach keys %more;

$s->value("CREATE TABLE swapped AS SELECT * FROM sales; GRANT SELECT ON swapped TO ana; "
	  . "SET client_min_messages = error; SELECT idp.protect('swapped', 1e6, repeat => '1 day'), "
	  . "idp.set_domain('swapped', 'status', ARRAY['new', 'paid'])");
asked('SELECT status, dp_count(0.5) FROM swapped GROUP BY status', 1, 'groups where rows are substituted', 'swapped');
asked('SELECT status, dp_count(0.75) FROM swapped GROUP BY status', 0.5, '... with more epsilon', 'swapped');

# Rows of units: as often as a unit has rows, under the rules as they are.
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE persons (id int PRIMARY KEY);
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, minutes int NOT NULL);
INSERT INTO persons SELECT generate_series(1, 500);
INSERT INTO visits SELECT i, 1 + i % 500, i % 60 FROM generate_series(1, 1500) i;
SELECT idp.protect('persons', 1e6, 'add_remove', unit => 'id', repeat => 'forever'),
  idp.link('visits', 'person', 'persons', max_rows => 4), idp.set_domain('visits', 'minutes', 0, 60);
GRANT SELECT ON persons, visits TO ana;
SQL
my $rows = 'FROM (SELECT person, minutes, row_number() OVER (PARTITION BY person ORDER BY id) AS r '
  . 'FROM visits) v WHERE r <= 3';
asked("SELECT dp_count(0.5) $rows", 1.5, 'three rows of a person', 'persons');
asked("SELECT dp_count(0.75) $rows", 0.75, '... with more epsilon', 'persons');
$ana->value('SET idp.epsilon = 0.25');
my $both = 'SELECT avg(minutes), count(*), idp.margin(count(*)) FROM visits';
my ($coarse) = asked($both, 0.5, 'an average, of a sum and a count', 'persons') =~ /([^|]*)$/;
$ana->value('SET idp.epsilon = 0.5');
my $finer = asked($both, 0.5, '... with more epsilon', 'persons');
my ($average, $count, $margin) = split /\|/, $finer;
cmp_ok($margin, '<', 0.6 * $coarse, '... has the margin of that');
is(asked($both, 0, '... again', 'persons'), $finer, '... the same');
is($s->value("SELECT count(*) || ' ' || count(DISTINCT at) FROM idp.answer "
	  . "WHERE question LIKE '%visits.minutes%' AND epsilons = '{0.5}'"), '2 1', '... of one draw');
is($s->value("SELECT count(*) FROM idp.answer WHERE question LIKE '%visits.minutes%' AND epsilons = '{0.5}' "
	  . "AND margin BETWEEN $margin / 2 AND $margin"), 1, 'what is kept has its margin');
$ana->value('RESET idp.epsilon');

# --- What is drawn anew ---------------------------------------------------------------------------

asked('SELECT dp_median(n, 0.5, 0, 10) FROM sales WHERE n > 1', 0.5, 'a median');
asked('SELECT dp_median(n, 0.75, 0, 10) FROM sales WHERE n > 1', 0.75, '... has no levels');
asked('SELECT idp_median(n, ARRAY[0.5, 1]) FROM sales WHERE n > 1', 0.5, 'several epsilons');
asked('SELECT idp_median(n, ARRAY[0.75, 1]) FROM sales WHERE n > 1', 0.75, '... have an order of their own');
asked('SELECT n, dp_count(0.5) FROM sales GROUP BY n HAVING dp_keep_group(0.5, 1e-6)', 1, 'kept groups');
asked('SELECT n, dp_count(0.75) FROM sales GROUP BY n HAVING dp_keep_group(0.5, 1e-6)', 0.25,
	'... of which the numbers are refined');
asked('SELECT n, dp_count(0.75) FROM sales GROUP BY n HAVING dp_keep_group(0.75, 1e-6)', 1.5,
	'... and another decision is another draw');
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n > 2');
costs($s, 'sales', '0.75', 'rows of the past',
	sub { $ana->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT dp_count(0.75) FROM sales WHERE n > 2; COMMIT') });
asked('SELECT dp_count(0.75) FROM sales WHERE n > 2', 0.25, '... are not kept');
costs($s, 'sales', '0.25', 'READ ONLY',
	sub { $ana->value('BEGIN READ ONLY; SELECT dp_count(1) FROM sales WHERE n > 2; ROLLBACK') });
asked('SELECT dp_count(1) FROM sales WHERE n > 2', 0, '... is kept');

# A rule that changes: another question, or what it costs now beyond what was charged.
asked('SELECT dp_count(0.5) FROM sales WHERE n > 3', 0.5, 'before');
$s->value("SET client_min_messages = error; SELECT idp.protect('sales', 1e6, 'substitute')");
asked('SELECT dp_count(0.75) FROM sales WHERE n > 3', 0.75, 'other neighbours: another question');
$s->value("SELECT idp.protect('sales', 1e6, 'add_remove')");
asked('SELECT dp_count(0.75) FROM sales WHERE n > 3', 0.25, 'the former ones');

# A budget that does not suffice, and a least and a largest epsilon.
$s->value("SELECT idp.limit_role('sales', 'bob', 0.3)");
$bob->value('SELECT dp_count(0.25) FROM sales WHERE n > 4');
is($bob->run('SELECT dp_count(0.5) FROM sales WHERE n > 4')->{sqlstate}, 'IDP01', 'no more than a role may spend');
asked('SELECT dp_count(0.5) FROM sales WHERE n > 4', 0.25, '... which took nothing');
my $fine = $ana->value('SELECT dp_count(0.5) FROM sales WHERE n > 4');
is($bob->value('SELECT dp_count(0.5) FROM sales WHERE n > 4'), $fine, '... and what somebody else has paid is free');

# --- Periods --------------------------------------------------------------------------------------

# What an earlier period paid does not count in this one: a new draw costs less than both.
$s->value("CREATE TABLE daily (id int); INSERT INTO daily SELECT generate_series(1, 1000); SELECT idp.protect('daily', "
	  . "100, 'add_remove', renew => '3 seconds', repeat => 'forever'); GRANT SELECT ON daily TO ana");
wait_until($s, 'extract(epoch FROM clock_timestamp())::numeric % 3 < 0.5');
$ana->value('SELECT dp_count(8) FROM daily');
my $now = 'SELECT floor(extract(epoch FROM clock_timestamp()) / 3)';
my $period = $s->value($now);    # that of the answer, or a later one
my $told = $ana->value("SELECT epsilon FROM idp.cost('SELECT dp_count(10) FROM daily')");
my $answered = $s->value("SELECT floor(extract(epoch FROM max(at)) / 3) FROM idp.ledger WHERE table_name = 'daily'");
is($told, 2, 'the difference in one period') if $s->value($now) == $answered;
wait_until($s, "floor(extract(epoch FROM clock_timestamp()) / 3) > $period");
is($ana->value("SELECT epsilon FROM idp.cost('SELECT dp_count(10) FROM daily')"), 10, 'a new draw in the next one');
is($ana->value("SELECT count(*) FROM idp.cost('SELECT dp_count(8) FROM daily')"), 0, '... where what there is is free');

# --- The law --------------------------------------------------------------------------------------

# Three thousand empty cells: the answers are the noise.
my @levels = (0.5, 1, 3);
my @noise = map {
	my $e = $_;
	[ map { (split /\|/)[1] } split /\n/, $ana->value("SELECT key, dp_count($e) FROM cells GROUP BY key ORDER BY key") ]
} @levels;
is($s->value("SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 'cells'"), 3, 'all levels cost the finest');
sub expected
{
	my ($p, $hits, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $count = grep { $hits->($_) } 0 .. 2999;
	ok(!is_improbable($count, 3000, $p), "$name: $count of " . sprintf('%.1f', 3000 * $p));
}
foreach my $i (0 .. 2)
{
	my $q = exp(-$levels[$i]);
	foreach my $v (-1, 0, 1, 2)
	{
		expected((1 - $q) / (1 + $q) * $q**abs $v, sub { $noise[$i][ $_[0] ] == $v }, "at $levels[$i] noise $v");
	}
}
foreach my $step ([ 0, 1 ], [ 1, 2 ], [ 0, 2 ])
{
	my ($a, $b) = @$step;
	my ($q, $f) = map { exp(-$levels[$_]) } $a, $b;
	my $r = $f / $q;
	my $stays = (1 - 2 * $q * $f + $f**2) / (1 - $f**2) * (1 - $q) / (1 + $q) * (1 + $q * $r) / (1 - $q * $r);
	expected($stays, sub { $noise[$a][ $_[0] ] == $noise[$b][ $_[0] ] }, "from $levels[$a] to $levels[$b] it stays");
	my $beyond = $f * ($q - $f) / (1 - $f**2);
	expected($beyond * (1 - $q) / (1 + $q), sub { $noise[$a][ $_[0] ] == 0 && $noise[$b][ $_[0] ] < 0 },
		'... goes from 0 below it');
}

# --- Over the data as they were -------------------------------------------------------------------

$ana->value('SELECT dp_count(0.5), dp_sum(n, 0.5, 0, 10) FROM sales WHERE n < 5');
$ana->value('SELECT status, dp_count(0.5) FROM sales WHERE n < 5 GROUP BY status');
$s->value('DELETE FROM sales; UPDATE sales SET n = 0');
my ($many, $total) = split /\|/, $ana->value('SELECT dp_count(8), dp_sum(n, 8, 0, 10) FROM sales WHERE n < 5');
cmp_ok(abs($many - 1500), '<', 9, 'a count of rows that are gone');
cmp_ok(abs($total - 3000), '<', 90, '... and a sum');
is(join(' ', map {
	my ($k, $v) = split /\|/;
	"$k " . ($k eq 'lost' ? abs($v) < 9 : abs($v - 500) < 9)
} split /\n/, $ana->value('SELECT status, dp_count(8) FROM sales WHERE n < 5 GROUP BY status ORDER BY 1')),
	'lost 1 new 1 paid 1 sent 1', '... by groups');
$s->value('SELECT fill()');

# --- One level after the other --------------------------------------------------------------------

my $before = entries($s, 'sales');
$ana->value('SELECT dp_count(0.25), dp_sum(n, 0.25, 0, 10) FROM sales WHERE n < 9');
my @sessions = map { my $one = session($node); $one->value('SET client_min_messages = error; SET ROLE ana'); $one }
  1 .. 16;
$_->start('SELECT dp_sum(n, 0.75, 0, 10), dp_count(0.75) FROM sales WHERE n < 9') foreach @sessions;
my %answers = map { $_->finish->{out} => 1 } @sessions;
is(scalar keys %answers, 1, 'sixteen sessions that refine at once: one level');
is(entries($s, 'sales') - $before, 4, '... charged once');
is($s->value("SELECT string_agg(epsilons::text || costs::text, ' ') FROM idp.answer WHERE question LIKE '%(n < 9)'"),
	'{0.75}{0.75} {0.75}{0.75}', '... of one draw each');
$sessions[$_]->start('SELECT dp_count(' . (1 + $_ / 4) . ') FROM sales WHERE n < 9') foreach 0 .. 15;
my %of = map { $_ => $sessions[$_]->finish->{out} } 0 .. 15;
is($ana->value('SELECT dp_count(4.75) FROM sales WHERE n < 9'), $of{15}, 'at once to sixteen levels: the finest stays');
is(asked('SELECT dp_count(4.75) FROM sales WHERE n < 9', 0, 'asked again'), $of{15}, '... free');
# of what two sessions delete at once one may stay, until the next draw
my $finest = $ana->value('SELECT dp_count(5) FROM sales WHERE n < 9');
is($s->value("SELECT count(*) FROM idp.answer WHERE question LIKE 'dp_count%(n < 9)'"), 1, 'one row, by the next draw');
is(asked('SELECT dp_count(5) FROM sales WHERE n < 9', 0, 'asked again'), $finest, '... free');
$_->quit foreach @sessions;

# What fails once it is charged leaves the level there is, or the one that was given.
my $kept = asked('SELECT dp_count(0.25) FROM sales WHERE n = 9', 0.25, 'to be refined');
foreach my $fails ('BEGIN; SELECT dp_count(0.5) FROM sales WHERE n = 9; ROLLBACK',
	'BEGIN; SAVEPOINT a; SELECT dp_count(0.75) FROM sales WHERE n = 9; ROLLBACK TO a; COMMIT',
	'DO $$ BEGIN PERFORM 1 / (dp_count(1) - dp_count(1)) FROM sales WHERE n = 9; '
	  . 'EXCEPTION WHEN OTHERS THEN NULL; END $$',
	'BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1.25) FROM sales WHERE n = 9; CLOSE c; COMMIT')
{
	costs($s, 'sales', 0.25, "charged: $fails", sub { $ana->value($fails) });
	my ($epsilon) = $fails =~ /dp_count[(]([\d.]+)/;
	my $given = asked("SELECT dp_count($epsilon) FROM sales WHERE n = 9", 0, 'and given from then on');
	is($ana->value("SELECT dp_count($epsilon) FROM sales WHERE n = 9"), $given, '... the same');
}
is($s->value("SELECT max(epsilons[1]) FROM idp.answer WHERE question LIKE '%(n = 9)' AND question LIKE 'dp_count%'"),
	1.25, 'the last level is kept, whatever was rolled back');
my $last = $ana->value('SELECT dp_count(1.25) FROM sales WHERE n = 9');

# Rows that a rollback brought back are no levels to go on from.
$ana->value('BEGIN; SELECT dp_count(2) FROM sales WHERE n = 9; ROLLBACK');
my $two = $ana->value('SELECT dp_count(2) FROM sales WHERE n = 9');
asked('SELECT dp_count(2.5) FROM sales WHERE n = 9', 0.5, 'from the finest level');
cmp_ok($s->value("SELECT count(*) FROM idp.answer WHERE question LIKE 'dp_count%(n = 9)'"), '<=', 3, 'coarser ones go');

$node->stop('immediate');
$node->start;
$_->quit foreach $s, $ana, $bob;
$s = session($node);
$ana = session($node);
$ana->value('SET client_min_messages = error; SET ROLE ana');
is(asked('SELECT dp_count(4.75) FROM sales WHERE n < 9', 0, 'after a crash'), $of{15}, '... the same');
sound($s, 'afterwards');

# The rows are those of the first answer: a key that came later tells nothing of them.
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE guests (id int PRIMARY KEY);
INSERT INTO guests SELECT generate_series(1, 500);
CREATE TABLE stays (id int PRIMARY KEY, guest int NOT NULL REFERENCES guests);
INSERT INTO stays SELECT i, 1 + i % 500 FROM generate_series(1, 2000) i;
SELECT idp.protect('guests', 1e6, 'add_remove', unit => 'id', repeat => 'forever'),
  idp.link('stays', 'guest', 'guests', max_rows => 4);
GRANT SELECT ON guests, stays TO ana;
SQL
my $of_four = 'FROM (SELECT guest, row_number() OVER (PARTITION BY guest ORDER BY id) AS r FROM stays) v WHERE r <= 4';
costs($s, 'guests', 2, 'four rows of a guest', sub { $ana->value("SELECT dp_count(0.5) $of_four") });
$s->value('DELETE FROM stays WHERE id > 500; ALTER TABLE stays ADD UNIQUE (guest)');
costs($s, 'guests', 254, '... of whom each has one now: finer, over the rows of then',
	sub { cmp_ok($ana->value("SELECT dp_count(64) $of_four"), '>', 1900, 'which it is') });
costs($s, 'guests', 4, 'finer again', sub { $ana->value("SELECT dp_count(65) $of_four") });
costs($s, 'guests', 65, 'another question, over the rows of now',
	sub { $ana->value("SELECT dp_count(65) $of_four AND guest > 0") });

# What is expired, and the owner has forgotten, is refined no more.
$s->value("SELECT idp.forget_answers('sales')");
asked('SELECT dp_count(5) FROM sales WHERE n < 9', 5, 'forgotten');
$s->value("UPDATE idp.answer SET at = at - interval '2 days'; SET client_min_messages = error; "
	  . "SELECT idp.protect('sales', 1e6, repeat => '1 day')");
asked('SELECT dp_count(6) FROM sales WHERE n < 9', 6, 'expired');

$node->stop;
done_testing();
