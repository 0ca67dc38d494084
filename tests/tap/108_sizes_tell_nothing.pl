# How large the extension's tables are is open to everybody: what is kept of an answer has a size that its true value
# and noise do not change.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('sizes_tell_nothing', "shared_preload_libraries = 'idp'", 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL, pay numeric(10, 2) NOT NULL, weight float8 NOT NULL);
INSERT INTO people SELECT i, i % 100, i % 1000, i / 7.0 FROM generate_series(1, 70000) i;
SELECT idp.protect('people', 1e6, 'add_remove', repeat => 'forever');
SELECT idp.set_domain('people', 'age', 0, 100);
CREATE ROLE ana;
GRANT SELECT ON people TO ana;
SQL
my $ana = session($node);
$ana->value('SET client_min_messages = error; SET ROLE ana');

my @conditions = map { "id <= $_ AND age >= 0" } 1, 3, 4, 255, 256, 65535, 70000;

sub sizes { return $s->value("SELECT string_agg(DISTINCT $_[0]::text, ' ') FROM $_[1]") }

for my $call ('dp_count(%s)', 'dp_sum(age, %s, 0, 100)', 'dp_avg(age, %s, 0, 100)', 'dp_sum(pay, %s, -9, 1000)',
	'dp_sum(weight, %s, 0, 10000)', 'dp_histogram(age, %s, 0, 100, 20)',
	'dp_variance(age::numeric * 1e6, %s, -9e21, 9e21)', 'dp_variance(weight, %s, -1e300, 1e300)')
{
	for my $epsilon ('1e-12', '0.5', '100')
	{
		$ana->value(sprintf("SELECT $call FROM people WHERE %s", $epsilon, $_)) for @conditions;
		my $name = 0;
		(my $named = $call) =~ s/\)$/, %s)/;
		$ana->value(sprintf("SELECT $named FROM people WHERE %s", $epsilon, "'n" . $name++ . "'", $_)) for @conditions;
		is($s->value('SELECT count(*) FROM idp.chain'), 7, "$call, $epsilon: seven are kept by name");
		unlike(sizes('octet_length(record)', 'idp.chain'), qr/ /, '... of one size');
		unlike(sizes('octet_length(noise)', 'idp.chain_level'), qr/ /, '... with noise of one size');
		is($s->value('SELECT count(*) FROM idp.answer WHERE records IS NOT NULL'), 7,
			'... and seven to be given again');
		unlike(sizes('octet_length(records::text)', 'idp.answer'), qr/ /, '... of one size');
		unlike(sizes('octet_length(noise::text)', 'idp.answer'), qr/ /, '... with noise of one size');
		$s->value("TRUNCATE idp.chain, idp.chain_level, idp.answer");
	}
}

# What is compressed would have a size that follows from what is in it.
is($s->value(<<'SQL'), 'e 4', 'nothing of it is compressed');
SELECT string_agg(DISTINCT attstorage::text, ' ') || ' ' || count(*) FROM pg_attribute
	WHERE attrelid IN ('idp.answer'::regclass, 'idp.chain'::regclass, 'idp.chain_level'::regclass)
	AND attname IN ('record', 'records', 'noise')
SQL

done_testing();
