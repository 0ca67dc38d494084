# Accounts and links of dropped tables wait for a table of the name. One that was asked before brings a past
# of its own: it takes neither by its name alone, and what was spent of both counts once its owner says so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('names', 'fsync = off');
my $s = session($node);
my $rules = "'add_remove', rows => 'visible'";
my $named = qr/^0A000 .*cannot be computed over rows of a table that has the name of one that was dropped/;
my $linked = qr/^0A000 .*cannot be computed over rows of a table that has the name of a linked one that was dropped/;
my $no_bound = qr/^55000 what was spent about rows of table "\w+" has no bound for a unit/;

sub begin
{
	$s->value('DROP SCHEMA IF EXISTS v, v2, v3 CASCADE; DROP TABLE IF EXISTS '
		  . join(', ', 'f1' .. 'f4', 'persons', 'orders', 'others', 'whole') . ' CASCADE');
	$s->value('TRUNCATE idp.account, idp.account_end, idp.charge, idp.link');
	$s->value($_) foreach @_;
	return;
}
sub table { my ($name) = @_; return "CREATE TABLE $name AS SELECT i AS x FROM generate_series(1, 9) i" }

sub refused
{
	my ($sql, $why, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $s->run($sql);
	like(($r->{sqlstate} // "answered $r->{out}") . ' ' . ($r->{message} // ''), $why, $name);
	like($r->{hint} // '', qr/idp\.|forget => true/, "$name: with a way out");
	return;
}
sub spent { my ($table) = @_;
	return $s->value("SELECT string_agg(trim_scale(spent) || CASE WHEN active THEN '' ELSE ' ended' END, ', ' "
	. "ORDER BY active DESC, spent) FROM idp.protection WHERE table_name ~ '(^|\\.)$table\$'") }

# --- accounts of rows -------------------------------------------------------------------------------------

# One that was asked, and is not protected any more, gets the name of one that was dropped.
foreach my $case (
	[ 'RENAME', 'f2', '', 'ALTER TABLE f2 RENAME TO f1', 'f1' ],
	[ 'SET SCHEMA', 'v2.f1', 'CREATE SCHEMA v2', 'ALTER TABLE v2.f1 SET SCHEMA public', 'f1' ],
	[ 'ALTER SCHEMA', 'v2.f1', 'CREATE SCHEMA v; CREATE SCHEMA v2',
		'ALTER SCHEMA v RENAME TO v3; ALTER SCHEMA v2 RENAME TO v', 'v.f1' ],
	[ 'ALTER INDEX', 'f2', '', 'ALTER INDEX f2 RENAME TO f1', 'f1' ])
{
	my ($name, $other, $before, $rename, $now) = @$case;
	foreach my $is_active (0, 1)
	{
		my $how = "$name, of one that is " . ($is_active ? 'protected' : 'protected no more');
		begin($before, table($now), table($other),
			"SELECT idp.protect('$now', 10, $rules), idp.protect('$other', 100, $rules)",
			"SELECT dp_count(2) FROM $now; SELECT dp_count(50) FROM $other");
		$s->value("SELECT idp.unprotect('$other')") unless $is_active;
		$s->value("DROP TABLE $now; $rename");
		refused("SELECT dp_count(1) FROM $now", $named, "$how: nothing is answered");
		is($s->value("SELECT sum(spent) FROM idp.protection WHERE table_name ~ 'f1\$'"), 52, "$how: nor charged");
		$s->value("SELECT idp.protect('$now', 100)");
		is($s->run("SELECT dp_count(1) FROM $now")->{sqlstate}, undef, "$how: answered once it is protected");
		is($s->value("SELECT max(spent) FILTER (WHERE active) >= 53, count(*) FILTER (WHERE active) "
			  . "FROM idp.protection WHERE table_name ~ 'f1\$'"), 't|1', "$how: from what was spent about both");
	}
}
begin(table('f1'), table('f2'), "SELECT idp.protect('f1', 10, $rules), idp.protect('f2', 100, $rules)",
	'SELECT dp_count(2) FROM f1; SELECT dp_count(50) FROM f2', "SELECT idp.unprotect('f2')", 'DROP TABLE f1',
	'ALTER TABLE f2 RENAME TO f1');
$s->value("SELECT idp.unprotect('f1')");
is($s->value('SELECT dp_count(1000) FROM f1'), 9, 'idp.unprotect ends it');
is(spent('f1'), '2 ended, 50 ended', '... and both stay');
$s->value("SELECT idp.protect('f1', 100)");
is($s->value("SELECT max(spent) FILTER (WHERE active) >= 52 FROM idp.protection WHERE table_name ~ 'f1\$'"), 't',
	'... and count where it is protected again');

# Where nothing is known to have been asked, the table has the account from then on, whatever its name is.
foreach my $case (
	[ 'CREATE TABLE', '', 'CREATE TABLE f1 (x int); INSERT INTO f1 SELECT generate_series(1, 9)' ],
	[ 'CREATE TABLE AS', '', table('f1') ],
	[ 'SELECT INTO', '', 'SELECT i AS x INTO f1 FROM generate_series(1, 9) i' ],
	[ 'a partition', 'CREATE TABLE whole (x int) PARTITION BY LIST (x)',
		'CREATE TABLE f1 PARTITION OF whole DEFAULT; INSERT INTO f1 SELECT generate_series(1, 9)' ],
	[ 'a swap', table('f2'), 'ALTER TABLE f2 RENAME TO f1' ],
	[ 'another schema', 'CREATE SCHEMA v2; CREATE TABLE v2.f1 AS SELECT generate_series(1, 9) AS x',
		'ALTER TABLE v2.f1 SET SCHEMA public' ])
{
	my ($name, $before, $make) = @$case;
	begin($before, table('f1'), "SELECT idp.protect('f1', 10, $rules)", 'SELECT dp_count(2) FROM f1', 'DROP TABLE f1',
		$make);
	is($s->run('SELECT dp_count(3) FROM f1')->{sqlstate}, undef, "$name: the next table of the name is answered");
	$s->value('ALTER TABLE f1 RENAME TO f3');
	is(spent('f3'), 5, "$name: its account follows it");
	$s->value("SELECT idp.unprotect('f3'), idp.protect('f3', 10, $rules)");
	is(spent('f3'), 5, "$name: what was spent is not lost by another name");
	$s->value(table('f1'));
	is($s->run('SELECT dp_count(1000) FROM f1')->{out}, 9, "$name: the name is free");
}
begin('CREATE SCHEMA v', table('v.f1'), "SELECT idp.protect('v.f1', 10, $rules)", 'SELECT dp_count(2) FROM v.f1',
	'DROP SCHEMA v CASCADE', 'CREATE SCHEMA v CREATE TABLE f1 (x int)');
$s->value('SELECT dp_count(1) FROM v.f1; ALTER SCHEMA v RENAME TO v2');
is(spent('f1'), 3, 'CREATE SCHEMA with a table');
begin('CREATE SCHEMA v', 'CREATE SCHEMA v2', table('v.f1'), table('v2.f1'), "SELECT idp.protect('v.f1', 10, $rules)",
	'SELECT dp_count(2) FROM v.f1', 'DROP SCHEMA v CASCADE', 'ALTER SCHEMA v2 RENAME TO v');
is($s->run('SELECT dp_count(1) FROM v.f1')->{out} ne '' && spent('f1'), 3, 'ALTER SCHEMA that brings a table');

# two that wait for one name
begin(table('f1'), table('f2'), "SELECT idp.protect('f1', 10, $rules), idp.protect('f2', 10, $rules)",
	'SELECT dp_count(2) FROM f1; SELECT dp_count(3) FROM f2', 'DROP TABLE f1', 'ALTER TABLE f2 RENAME TO f1',
	'DROP TABLE f1', table('f1'));
refused('SELECT dp_count(1) FROM f1', $named, 'two accounts wait for one name');
$s->value("SELECT idp.protect('f1', 10, 'substitute')");
is($s->value("SELECT sum(spent) FILTER (WHERE active), count(*) FILTER (WHERE active) FROM idp.protection "
	. "WHERE table_name ~ 'f1\$'"), '10|1', 'two accounts wait for one name: both count, at what that means now');

# what the whole of a part was asked, which is not protected any more
begin('CREATE TABLE whole (x int) PARTITION BY LIST (x)', 'CREATE TABLE f2 PARTITION OF whole DEFAULT',
	'INSERT INTO whole SELECT generate_series(1, 9)', table('f1'),
	"SELECT idp.protect('f1', 10, $rules), idp.protect('whole', 100, $rules)", 'SELECT dp_count(20) FROM whole',
	"SELECT idp.unprotect('whole')", 'DROP TABLE f1', 'ALTER TABLE f2 RENAME TO f1');
refused('SELECT dp_count(1) FROM f1', $named, 'a part of a table that was asked');
$s->value("SELECT idp.protect('f1', 100)");
is(spent('f1'), '20', 'a part of a table that was asked: it has lost that');

# One that waits for its owner gets yet another name: it may be a copy of the dropped one still, whose rows have lost
# what was spent of both. So may the next table of the name be.
my @both = (table('f1'), table('f2'), "SELECT idp.protect('f1', 10, $rules), idp.protect('f2', 100, $rules)",
	'SELECT dp_count(2) FROM f1; SELECT dp_count(50) FROM f2');
foreach my $case (
	[ 'RENAME', '', 'ALTER TABLE f1 RENAME TO f3', 'f3' ],
	[ 'SET SCHEMA', 'CREATE SCHEMA v', 'ALTER TABLE f1 SET SCHEMA v', 'v.f1' ],
	[ 'ALTER INDEX', '', 'ALTER INDEX f1 RENAME TO f3', 'f3' ],
	[ 'three names', '', 'BEGIN; ALTER TABLE f1 RENAME TO f4; ALTER TABLE f4 RENAME TO f3; COMMIT', 'f3' ],
	[ 'and back', '', 'ALTER TABLE f1 RENAME TO f4; ALTER TABLE f4 RENAME TO f1; ALTER TABLE f1 RENAME TO f3', 'f3' ])
{
	my ($name, $before, $rename, $now) = @$case;
	foreach my $ends ('', "SELECT idp.unprotect('f2')", "SELECT idp.unprotect('f1')")
	{
		my $how = "$name" . ($ends ? ", after $ends" : '');
		begin($before, @both, $ends, 'DROP TABLE f1', 'ALTER TABLE f2 RENAME TO f1', $rename,
			"SELECT idp.protect('$now', 1000, $rules)");
		is($s->value("SELECT spent FROM idp.protection WHERE table_name = '$now' AND active"), 52,
			"$how: it has lost what was spent of both");
		$s->value("SELECT dp_count(1) FROM $now; " . table('public.f1')
			  . "; SELECT idp.protect('public.f1', 1000, $rules)");
		is($s->value("SELECT spent FROM idp.protection WHERE table_name ~ '^(public\\.)?f1\$' AND active"), 2,
			"$how: what waited waits on for the name");
	}
}
begin('CREATE SCHEMA v', @both, 'DROP TABLE f1', 'ALTER TABLE f2 RENAME TO f1', "SELECT idp.unprotect('f1')",
	'ALTER TABLE f1 RENAME TO f3', "SELECT idp.protect('f3', 1000, 'substitute')");
is(spent('f3'), 104, 'one that idp.unprotect has settled, and that gets another name: likewise, at what it means then');
begin('CREATE SCHEMA v', 'CREATE SCHEMA v2', table('v.f1'), table('f2'),
	"SELECT idp.protect('v.f1', 10, $rules), idp.protect('f2', 100, $rules)",
	'SELECT dp_count(2) FROM v.f1; SELECT dp_count(50) FROM f2', 'DROP TABLE v.f1',
	'ALTER TABLE f2 SET SCHEMA v; ALTER TABLE v.f2 RENAME TO f1', 'ALTER SCHEMA v RENAME TO v3');
is(spent('v3\.f1'), 52, 'ALTER SCHEMA: it has lost what was spent of both');
begin(@both, 'CREATE TABLE whole (x int)', "SELECT idp.protect('whole', 100, $rules); SELECT dp_count(5) FROM whole",
	'DROP TABLE f1', 'ALTER TABLE f2 RENAME TO f1; ALTER TABLE f1 INHERIT whole', 'ALTER TABLE f1 RENAME TO f3');
is(spent('whole'), 7, 'a part of another table: so has that');
begin(table('f1'), "SELECT idp.protect('f1', 10, $rules); SELECT dp_count(2) FROM f1", 'DROP TABLE f1', table('f2'),
	'BEGIN; ALTER TABLE f2 RENAME TO f4; ROLLBACK', "SELECT idp.protect('f2', 10, $rules); SELECT dp_count(1) FROM f2",
	'ALTER TABLE f2 RENAME TO f3');
is(spent('f3'), 1, 'a name that nothing waits for says nothing');

# --- accounts of persons, and links -----------------------------------------------------------------------

my $orders = sub {
	my ($name) = @_;
	"CREATE TABLE $name (id int PRIMARY KEY, buyer int NOT NULL REFERENCES persons, "
	  . "seller int NOT NULL REFERENCES persons); INSERT INTO $name SELECT i, i, 1 FROM generate_series(1, 9) i"
};
my @shop = ('CREATE TABLE persons (id int PRIMARY KEY)', 'INSERT INTO persons SELECT generate_series(1, 9)',
	$orders->('orders'), $orders->('others'),
	"SELECT idp.protect('persons', 1e6, $rules, unit => 'id'), idp.link('orders', 'buyer', 'persons')");
my $buyers = 'SELECT dp_count(1) FROM (SELECT buyer FROM orders GROUP BY buyer) q';

begin(@shop, "SELECT idp.protect('others', 100, $rules); SELECT dp_count(5) FROM others; "
	  . "SELECT idp.unprotect('others')", 'DROP TABLE orders; ALTER TABLE others RENAME TO orders');
refused($buyers, $linked, 'a table that was asked row by row gets the name of a linked one');
refused("SELECT idp.link('orders', 'buyer', 'persons')", $no_bound, '... and is not linked');
$s->value("SELECT idp.link('orders', 'buyer', 'persons', forget => true)");
is($s->run($buyers)->{sqlstate}, undef, '... but where its past is forgotten');
is($s->value("SELECT count(*) FROM idp.ledger WHERE aggregate = 'idp.link(forget => true)'"), 1,
	'... which the ledger keeps');

begin(@shop, "SELECT idp.link('others', 'seller', 'persons'); SELECT dp_count(5) FROM (SELECT seller FROM others "
	. "GROUP BY seller) q; SELECT idp.unlink('others')", 'DROP TABLE orders; ALTER TABLE others RENAME TO orders');
refused($buyers, $linked, 'a table that was linked by another column gets the name of a linked one');
refused("SELECT idp.link('orders', 'buyer', 'persons')", $no_bound, '... and is not linked');
begin(@shop, "SELECT idp.link('others', 'seller', 'persons')",
	'DROP TABLE orders; ALTER TABLE others RENAME TO orders');
is($s->run($buyers)->{sqlstate}, '0A000', 'a table that is linked by another column keeps its own link');
is($s->run($buyers =~ s/buyer/seller/gr)->{sqlstate}, undef, '... by which it is asked');

begin(@shop, $buyers, 'DROP TABLE orders', $orders->('orders'));
refused($buyers, $linked, 'a linked table that is made again');
refused("SELECT idp.link('orders', 'seller', 'persons')", $no_bound, '... is not linked by another column');
$s->value("SELECT idp.link('orders', 'buyer', 'persons')");
is($s->run($buyers)->{sqlstate}, undef, '... but as the dropped one was');
is($s->value('SELECT count(*), count(from_column), count(to_column) FROM idp.link'), '1|1|1', '... once');
$s->value('ALTER TABLE orders DROP COLUMN buyer; ALTER TABLE orders RENAME seller TO buyer');
is($s->run($buyers)->{sqlstate}, '0A000', '... and knows its column by number');
begin(@shop, 'DROP TABLE orders', $orders->('orders'), "SELECT idp.link('orders', 'seller', 'persons')");
is($s->run($buyers =~ s/buyer/seller/gr)->{sqlstate}, undef,
	'a linked table that is made again, where nothing was asked: linked by another column');
begin(@shop, $buyers, 'DROP TABLE orders', $orders->('orders'),
	"SELECT idp.unlink('orders'), idp.protect('orders', 100, $rules)");
is(spent('orders'), 2, 'a linked table that is made again, and unlinked: its rows have lost what two persons have');

begin(@shop, $buyers, 'DROP TABLE orders', $orders->('orders'), 'ALTER TABLE orders RENAME TO f3',
	"SELECT idp.protect('f3', 100, $rules)");
is(spent('f3'), 2,
	'a linked table that is made again, and gets another name: its rows have lost what two persons have');
begin(@shop, $buyers, 'DROP TABLE orders', $orders->('orders'), 'ALTER TABLE orders RENAME TO f3');
refused("SELECT idp.link('f3', '$_', 'persons')", $no_bound, "... it is not linked by $_") foreach 'seller', 'buyer';
begin(@shop, "SELECT idp.link('others', 'seller', 'persons')", table('f1'),
	"SELECT idp.protect('f1', 10, $rules); SELECT dp_count(2) FROM f1",
	'DROP TABLE f1; ALTER TABLE others RENAME TO f1');
refused('ALTER TABLE f1 RENAME TO f3', $no_bound, 'a linked table leaves the name of one that was asked row by row');
begin('CREATE TABLE persons (id int PRIMARY KEY)', 'INSERT INTO persons SELECT generate_series(1, 9)',
	"SELECT idp.protect('persons', 100, $rules, unit => 'id'); SELECT dp_count(3) FROM persons",
	'DROP TABLE persons', 'CREATE TABLE persons (id int PRIMARY KEY)', 'ALTER TABLE persons RENAME TO f3',
	"SELECT idp.protect('f3', 100, $rules, unit => 'id')");
is(spent('f3'), 3, 'units that get another name have lost what was spent under that');

begin('CREATE TABLE persons (id int PRIMARY KEY, code int NOT NULL UNIQUE)',
	'INSERT INTO persons SELECT i, i FROM generate_series(1, 9) i', table('f1'),
	"SELECT idp.protect('persons', 100, $rules, unit => 'id'); SELECT dp_count(3) FROM persons",
	'CREATE TABLE f2 (id int PRIMARY KEY)',
	"SELECT idp.protect('f2', 100, $rules); SELECT dp_count(4) FROM f2; SELECT idp.unprotect('f2')",
	'DROP TABLE persons', 'ALTER TABLE f2 RENAME TO persons');
refused('SELECT dp_count(1) FROM persons', qr/^0A000 .*units whose table was dropped/,
	'a table that was asked gets the name of that of the units');
$s->value("SELECT idp.protect('persons', 100, unit => 'id')");
is($s->value('SELECT dp_count(1) IS NULL FROM persons') . ' '
	  . $s->value("SELECT max(spent) FILTER (WHERE active) >= 8 FROM idp.protection WHERE table_name = 'persons'"),
	'f t', '... protected, its units have lost both');

$s->quit;
$node->stop;
done_testing();
