# Names of tables are stored, and looked for when the table is not there any more: however names are
# quoted, in whatever session, when they are stored, dropped or looked for, they are the same.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest qw(spent);
use Test::More;

my $node = new_node('names_as_keys', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
my $reader = session($node);
$s->value('CREATE ROLE reader; CREATE SCHEMA plain; CREATE SCHEMA "A ""b"; CREATE SCHEMA "select"; '
	  . 'GRANT USAGE ON SCHEMA plain, "A ""b", "select" TO reader');
$reader->value('SET ROLE reader');

my $quote = 'SET quote_all_identifiers =';
my $rows = 'AS SELECT generate_series(1, 9) AS x';
foreach my $table ('plain.t', 'plain."user"', 'plain."A t"', '"A ""b".t', '"select".t', '"select"."table"',
	'"select"."T"', 'plain.ident_9', 'plain."9"')
{
	foreach my $case ([ 'off', 'off', 'on' ], [ 'off', 'on', 'off' ], [ 'on', 'off', 'off' ], [ 'on', 'on', 'off' ],
		[ 'on', 'off', 'on' ])
	{
		my ($stored, $dropped, $found) = @$case;
		my $name = "$table, quote_all_identifiers $stored, $dropped, $found";
		# a hidden table, a visible one with a budget that is spent, and a release
		foreach my $kind ('hidden', 'visible')
		{
			$s->value("$quote $stored; CREATE TABLE $table $rows; SELECT idp.protect('$table', 1, rows => '$kind')");
			is($s->value("SELECT rows FROM idp.protection"), $kind, "$name: $kind");
			is($s->value("$quote on; SELECT rows FROM idp.protection; $quote $stored"), $kind,
				"$name: idp.protection says so however it is asked") if $kind eq 'hidden';
			$s->value("GRANT SELECT ON $table TO reader; SELECT dp_count(1) FROM $table");
			$s->value("$quote $dropped; DROP TABLE $table");
			$s->value("$quote off; CREATE TABLE $table $rows; GRANT SELECT ON $table TO reader");
			$reader->value("$quote $found");
			like($reader->run("SELECT dp_count(1000) FROM $table")->{message} // 'answered', qr/is exhausted/,
				"$name: the account of the $kind table waited for it");
			is($reader->run("SELECT count(*) > 0 FROM idp.cost('SELECT dp_count(1) FROM $table')")->{out}, 't',
				"$name: idp.cost knows it") if $kind eq 'visible';
			is($reader->run("SELECT x FROM $table")->{sqlstate}, '42501', "$name: rows are hidden from the beginning")
			  if $kind eq 'hidden';
			is($s->value("SELECT relrowsecurity FROM pg_class WHERE oid = '$table'::regclass"),
				$kind eq 'hidden' ? 't' : 'f', "$name: by the lock of row security") if $kind eq 'hidden';
			$s->value("$quote $found; SELECT idp.protect('$table', 3)");
			is($s->value('SELECT count(*) FROM idp.budget'), 1, "$name: idp.protect takes the account over");
			$s->value("DROP TABLE $table; TRUNCATE idp.account, idp.charge, idp.chain");
		}
	}
}

# linked tables, and partitions with a budget of their own
foreach my $case ([ 'off', 'on', 'off' ], [ 'on', 'off', 'off' ], [ 'off', 'off', 'on' ])
{
	my ($stored, $dropped, $found) = @$case;
	my $name = "quote_all_identifiers $stored, $dropped, $found";
	$s->value("$quote $stored; CREATE TABLE plain.person (id int PRIMARY KEY); INSERT INTO plain.person VALUES (1);"
		  . "CREATE TABLE plain.visit (id int NOT NULL REFERENCES plain.person); SELECT idp.protect('plain.person', 1, "
		  . "unit => 'id', rows => 'visible'), idp.link('plain.visit', 'id', 'plain.person')");
	$s->value("$quote $dropped; DROP TABLE plain.visit");
	$s->value("$quote $found; CREATE TABLE plain.visit (id int NOT NULL REFERENCES plain.person); "
		  . "GRANT SELECT ON plain.visit TO reader");
	$reader->value("$quote $found");
	like($reader->run('SELECT dp_count(1000) FROM plain.visit')->{message} // 'answered',
		qr/protected table "plain.person"/, "$name: a link waits for a table of its name");
	is($s->run("SELECT idp.link('plain.visit', 'id', 'plain.person')")->{sqlstate}, undef,
		"$name: which takes its place");
	is($reader->run('SELECT dp_count(0.25) IS NOT NULL FROM (SELECT id FROM plain.visit GROUP BY id) v')->{out}, 't',
		"$name: whose rows are of its units");
	$s->value('DROP TABLE plain.visit, plain.person; TRUNCATE idp.account, idp.charge, idp.link');

	$s->value("$quote $stored; CREATE TABLE plain.whole (x int) PARTITION BY LIST (x); "
		  . "CREATE TABLE plain.part PARTITION OF plain.whole DEFAULT; SELECT idp.protect('plain.whole', 1, "
		  . "rows => 'visible', per => 'partition'); SELECT dp_count(0.5) FROM plain.part");
	$s->value("$quote $dropped; DROP TABLE plain.part");
	$s->value("$quote $found; CREATE TABLE plain.part PARTITION OF plain.whole DEFAULT; "
		  . "GRANT SELECT ON plain.part TO reader");
	like($reader->run('SELECT dp_count(0.75) FROM plain.part')->{message} // 'answered', qr/is exhausted/,
		"$name: the share of a partition waits for one of its name");
	$s->value('DROP TABLE plain.whole; TRUNCATE idp.account, idp.charge');
}

$s->quit;
$reader->quit;
$node->stop;
done_testing();
