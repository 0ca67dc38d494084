# Who reads a release, and what its levels cost whoever reads it. A release is about all columns of
# its question: those of WHERE, FILTER and GROUP BY as well as the one that is aggregated. Levels
# within what was paid are free, so there is a limit to them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('readers');
my ($s, $asker) = (session($node), session($node));
$s->value(<<'SQL');
CREATE TABLE pay (id int PRIMARY KEY, dept text, salary int, "Odd, column" int);
INSERT INTO pay SELECT i, 'd' || i % 3, i, i FROM generate_series(1, 300) i;
CREATE VIEW young AS SELECT id, dept FROM pay WHERE salary < 100;
CREATE ROLE asker; CREATE ROLE clerk; CREATE ROLE auditor; CREATE ROLE everything; CREATE ROLE nobody;
GRANT SELECT ON pay, young TO asker, everything;
GRANT SELECT (id) ON pay TO clerk;
GRANT SELECT (dept, salary) ON pay TO auditor;
SQL
$asker->value('SET ROLE asker');

# --- Which columns -------------------------------------------------------------------------------

# Each: name, question, columns it is about, whether clerk (id) and auditor (dept, salary) may read it
my @questions = (
	[ 'all', q[dp_count(1e9, 'all') FROM pay], '{}', 1, 1 ],
	[ 'where', q[dp_count(1e9, 'where') FROM pay WHERE salary > 100], '{salary}', 0, 1 ],
	[ 'two', q[dp_count(1e9, 'two') FROM pay WHERE salary > 100 AND dept <> 'd1'], '{dept,salary}', 0, 1 ],
	[ 'mixed', q[dp_count(1e9, 'mixed') FROM pay WHERE salary > 100 AND id > 7], '{id,salary}', 0, 0 ],
	[ 'filter', q[dp_count(1e9, 'filter') FILTER (WHERE dept = 'd1') FROM pay], '{dept}', 0, 1 ],
	[ 'sum', q[dp_sum(id, 1e9, 0, 1000, 'sum') FROM pay], '{id}', 1, 0 ],
	[ 'sum where', q[dp_sum(id, 1e9, 0, 1000, 'sum where') FROM pay WHERE dept = 'd1'], '{dept,id}', 0, 0 ],
	[ 'expression', q[dp_sum(salary + id, 1e9, 0, 1000, 'expression') FROM pay], '{id,salary}', 0, 0 ],
	[ 'of others', q[dp_sum(salary * length(dept), 1e9, 0, 1000, 'of others') FROM pay], '{dept,salary}', 0, 1 ],
	[ 'distinct', q[dp_count_distinct(DISTINCT dept, 1e9, 'distinct') FROM pay], '{dept}', 0, 1 ],
	[ 'odd', q[dp_sum("Odd, column", 1e9, 0, 1000, 'odd') FROM pay], '{"Odd, column"}', 0, 0 ],
	[ 'd2', q[dp_count(1e9, dept) FROM pay WHERE dept = 'd2' GROUP BY dept], '{dept}', 0, 1 ],
	[ 'view', q[dp_count(1e9, 'view') FROM young], '{salary}', 0, 1 ],
	[ 'case', q[dp_sum(CASE WHEN salary > 9 THEN 1 END, 1e9, 0, 1, 'case') FROM pay], '{salary}', 0, 1 ],
	# what is not known is about all of them
	[ 'subquery', q[dp_count(1e9, 'subquery') FROM pay WHERE salary > (SELECT 3)], '', 0, 0 ],
	[ 'row', q[dp_count(1e9, 'row') FROM pay WHERE pay IS NOT NULL], '', 0, 0 ],
	[ 'system', q[dp_count(1e9, 'system') FROM pay WHERE ctid IS NOT NULL], '', 0, 0 ],
	[ 'shielded', q[dp_count(1e9, 'shielded') FROM (SELECT dept FROM pay OFFSET 0) q], '', 0, 0 ],
	[ 'joined', q[dp_count(1e9, 'joined') FROM pay a JOIN pay b ON a.id = b.id], '', 0, 0 ],);

sub reads_all
{
	my ($role, $what, $expected) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $reader = session($node);
	$reader->value("SET ROLE $role");
	my @expected = grep { $expected->($_) } @questions;
	is($reader->value('SELECT name FROM idp.releases ORDER BY name'), join("\n", sort map { $_->[0] } @expected),
		"$what: what idp.releases shows");
	my (@wrong, %may);
	$may{ $_->[0] } = 1 foreach @expected;
	foreach my $question (@questions)
	{
		my $name = $question->[0];
		foreach my $read ("idp.relax('$name', 1e9)", "idp.relax('$name', 1e8)", "idp.relax('$name', 2e9)",
			"idp.release_answer('$name')")
		{
			my $r = $reader->run("SELECT $read IS NOT NULL");
			my $outcome = defined $r->{sqlstate} ? "$r->{sqlstate} $r->{message}" : $r->{out};
			push @wrong, "$read: $outcome"
			  if $outcome ne ($may{$name} ? 't' : qq[42704 release "$name" does not exist]);
		}
		my $id = $node->safe_psql('postgres',
			"SELECT id FROM idp.chain WHERE name = '$name' ORDER BY born DESC LIMIT 1");
		my $any = $reader->value("SELECT idp.chain_answer('$id') IS NOT NULL");
		push @wrong, "chain_answer: $name" if $any ne ($may{$name} ? 't' : 'f');
	}
	is(join("\n", @wrong), '', "$what: relax, tighten, read");
	$reader->quit;
	return;
}

$asker->value("SELECT $_->[1]") foreach @questions;
is($s->value("SELECT string_agg(c, ',' ORDER BY c COLLATE \"C\") FROM idp.chain, unnest(used_columns) c "
	  . "WHERE name = '$_->[0]'") =~ s/.*/{$&}/r, $_->[2] =~ s/["]//gr || '{}', "columns of $_->[0]")
  foreach @questions;
is($s->value('SELECT string_agg(name, \',\' ORDER BY name) FROM idp.chain WHERE used_columns IS NULL'),
	'joined,row,shielded,subquery,system', 'where they are not known');
reads_all('asker', 'who asked', sub { 1 });
reads_all('clerk', 'a reader of id', sub { $_[0][3] });
reads_all('auditor', 'a reader of dept and salary', sub { $_[0][4] });
# who may read the table reads what is about it; a self-join is
reads_all('everything', 'a reader of all', sub { 1 });
reads_all('nobody', 'a reader of nothing', sub { 0 });

# so many columns are not kept one by one
$s->value('CREATE TABLE many (' . join(', ', map { "c$_ int" } 1 .. 33) . '); GRANT SELECT ON many TO asker');
$asker->value("SELECT dp_count(1e9, 'of $_ columns') FROM many WHERE " . join(' + ', map { "c$_" } 1 .. $_) . ' > 0')
  foreach 32, 33;
is($s->value("SELECT name, cardinality(used_columns) FROM idp.chain WHERE name LIKE 'of % columns' ORDER BY name"),
	"of 32 columns|32\nof 33 columns|", 'a question about many columns');
$s->value("SELECT idp.drop_release('of 32 columns'), idp.drop_release('of 33 columns')");

# the same through a query: what one may ask is answered, also if another asked first
my $auditor = session($node);
$auditor->value('SET ROLE auditor');
is($auditor->value("SELECT $questions[1][1]"), 200, 'asked again by a role that may');
$s->value('GRANT SELECT ON young TO clerk');
my $clerk = session($node);
$clerk->value('SET ROLE clerk');
$clerk->value("SELECT $questions[12][1]");
is($s->value("SELECT string_agg(role, ' ' ORDER BY born) FROM idp.chain WHERE name = 'view'") =~ / clerk$/, 1,
	'not through a view, whose condition is about a column that one may not read: that begins another one');
$s->value("DELETE FROM idp.chain WHERE name = 'view' AND role = 'clerk'");
my $r;
$s->value('REVOKE SELECT ON young FROM clerk');

# columns go by name
$s->value('GRANT SELECT (salary) ON pay TO clerk');
is($clerk->value("SELECT idp.release_answer('mixed')"), 200, 'with all the columns');
$s->value('ALTER TABLE pay RENAME salary TO wages');
is($clerk->run("SELECT idp.release_answer('mixed')")->{sqlstate}, '42704', 'a column that has another name now');
$s->value('ALTER TABLE pay RENAME wages TO salary');
$s->value('REVOKE SELECT (salary) ON pay FROM clerk');

# Releases that older versions began do not say which columns: who reads all of them
$s->value("UPDATE idp.chain SET used_columns = NULL");
reads_all('clerk', 'of an older version, a reader of id', sub { 0 });
reads_all('everything', 'of an older version, a reader of all', sub { 1 });

# refreshed, a release is about the same columns
$asker->value("SELECT dp_count(1e9, 'again') FROM pay WHERE salary > 100");
$s->value("SELECT idp.refresh('again')");
$asker->value("SELECT dp_count(1e9, 'again') FROM pay WHERE salary > 100");
is($clerk->run("SELECT idp.release_answer('again')")->{sqlstate}, '42704', 'refreshed: not a reader of id');
is($auditor->value("SELECT idp.release_answer('again')"), 200, 'refreshed: a reader of salary');

# The names of releases may be made of groups: the ledger shows them to who may read them all
$s->value('SELECT idp.protect(\'pay\', 1e12, rows => \'visible\')');
$asker->value("SELECT dp_count(1, 'in ' || dept) FROM pay GROUP BY dept");
is($_->[0]->value('SELECT count(*), count(release) FROM idp.ledger'), $_->[1], "the ledger of $_->[2]")
  foreach [ $clerk, '1|0', 'a reader of a column' ], [ $asker, '1|1', 'who asked' ], [ $s, '1|1', 'the owner' ];
$s->value('SELECT idp.unprotect(\'pay\')');

# --- Who may have more charged ---------------------------------------------------------------------

# A view of the owner's gives the answer that the owner decided on, not the right to the table's budget.
$s->value(<<'SQL');
CREATE TABLE wages AS SELECT i AS x FROM generate_series(1, 100) i;
CREATE VIEW headcount AS SELECT dp_count(0.5, 'headcount') AS n FROM wages;
CREATE ROLE viewer; CREATE ROLE former;
GRANT SELECT ON headcount TO viewer;
GRANT SELECT ON wages TO former;
SELECT idp.protect('wages', 100, rows => 'visible');
SQL
my $viewer = session($node);
$viewer->value('SET ROLE viewer; SELECT n FROM headcount');
my $denied = $viewer->run("SELECT idp.relax('headcount', 40)");
is(($denied->{sqlstate} // 'answered') . ' ' . ($denied->{message} // ''),
	'42501 permission denied to refine release "headcount"', 'through a view: no more than it asks for');
like($viewer->value("SELECT idp.relax('headcount', 0.1)"), qr/^-?\d+$/, 'less is free');
is(spent($s, 'wages'), 0.5, 'nothing was charged');
$viewer->value("RESET ROLE; SET ROLE former; SELECT dp_count(0.5, 'mine') FROM wages");
is($viewer->value("SELECT idp.relax('mine', 1) IS NOT NULL"), 't', 'who may read the table may refine');
$s->value('REVOKE SELECT ON wages FROM former');
is($viewer->run("SELECT idp.relax('mine', 40)")->{sqlstate} // 'answered', '42501', 'not any more');
is(spent($s, 'wages'), 1.5, 'and nothing was charged');
$viewer->quit;

# --- How many levels -----------------------------------------------------------------------------

# up to so many within the largest, whoever asks
$asker->value("SELECT dp_count(1000, 'ladder') FROM pay");
sub climb
{
	my ($name, $epsilon, $count) = @_;
	return $asker->value("SELECT count(idp.relax('$name', $epsilon)) FROM generate_series(1, $count) i");
}
is(climb('ladder', 'i / 1000.0', 99), 99, 'ninety-nine levels below the first');
my $levels = "SELECT count(*) FROM idp.chain_level l JOIN idp.chain c ON c.id = l.chain WHERE name";
my $hint = 'Ask at an epsilon that was answered before, ask under another name, '
  . 'or have the owner of the table refresh the release.';
foreach my $ask ("idp.relax('ladder', 0.1234)", "dp_count(0.1234, 'ladder') FROM pay")
{
	$r = $asker->run("SELECT $ask");
	is("$r->{sqlstate} $r->{message} $r->{hint}",
		qq[54000 role "asker" has drawn too many levels of release "ladder" $hint], "no more: $ask");
}
is($s->value("$levels = 'ladder'"), 100, 'nothing was drawn');
my $before =
  $asker->value("SELECT string_agg(idp.relax('ladder', i / 1000.0), ',' ORDER BY i) FROM generate_series(1, 99) i");
is($asker->value("SELECT string_agg(idp.relax('ladder', i / 1000.0), ',' ORDER BY i) FROM generate_series(1, 99) i"),
	$before, 'those that are there are repeated');
# they leave room for who pays
is(climb('ladder', '1000 + i', 100), 100, 'a hundred beyond the first');
$r = $asker->run("SELECT idp.relax('ladder', 2000)");
is("$r->{sqlstate} $r->{hint}", "54000 $hint", 'no more beyond');
is($asker->value("SELECT idp.relax('ladder', 1100)"), 300, 'the most accurate answer is repeated');
# whoever fills them with steps that cost next to nothing stops nobody
is($asker->value("SELECT idp.relax('ladder', 2200)"), 300, 'twice the largest is given all the same');

# nothing is charged for what is not drawn
$s->value("SELECT idp.protect('pay', 1e12, rows => 'visible')");
my $spent = spent($s, 'pay');
ok(defined $asker->run("SELECT idp.relax('ladder', 4000)")->{sqlstate}, 'refused over a protected table');
is(spent($s, 'pay'), $spent, 'and costs nothing');

# a release of a family that has no room leaves the others theirs
$asker->value("SELECT dp_count(1000, 'of ' || dept) FROM pay GROUP BY dept");
is(climb('of d1', 'i / 1000.0', 99), 99, 'one of a family has as many as it may');
is($asker->value("SELECT idp.relax('of d2', 0.5) IS NOT NULL"), 't', 'another takes a level below');
$asker->value("SELECT idp.relax('of d2', 2000)");
is($s->value("$levels = 'of d1'"), 101, 'one beyond is drawn for both');
climb('of d1', '2000 + i', 99);
is($s->value("$levels = 'of d1'"), 200, 'full');
is($asker->value("SELECT idp.relax('of d2', 4000)"), 100, 'another goes on');
is($s->value("$levels = 'of d1'") . ' ' . $s->value("$levels = 'of d2'"), '200 103', 'without it');
$s->value("SELECT idp.unprotect('pay')");

# The noise of histograms is long: a reader reads one level, not all.
$s->value("CREATE TABLE wide AS SELECT 1 AS x; GRANT SELECT ON wide TO asker");
$asker->value("SELECT dp_histogram(x, 1, 0, 100000, 20000, 'wide') IS NOT NULL FROM wide");
# the least time of five, as others may be at work
sub read_wide
{
	my ($name) = @_;
	my @took = map {
		my $begin = time;
		is($asker->value("SELECT length(idp.release_answer('wide')) > 20000"), 't', $name);
		time - $begin;
	} 1 .. 5;
	return (sort { $a <=> $b } @took)[0];
}
my $alone = read_wide('a wide histogram');
climb('wide', 'i / 1000.0', 99);
my $of_all = read_wide('the same with a hundred levels');
cmp_ok($of_all, '<', 3 * $alone + 0.05, 'takes the time of one');
note sprintf 'one level: %.1f ms, a hundred: %.1f ms', 1000 * $alone, 1000 * $of_all;

done_testing();
