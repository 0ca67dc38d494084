# Accounts end, links and parts stay: what was asked before counts wherever a promise begins about the same rows,
# by which account or link it ever was charged. Where it has no bound for a person, the promise does not begin.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('ended', 'fsync = off');
my $s = session($node);
my $rules = "'add_remove', rows => 'visible'";
my $no_bound = qr/^55000 what was spent about rows of table "\w+" has no bound for a unit/;
my $linked = qr/^55000 table "\w+" is linked already/;

# Nine buyers have one order each, which one seller sold; a part of the orders has all rows.
my $orders = "(id int NOT NULL, buyer int NOT NULL REFERENCES buyers, "
  . "seller int NOT NULL REFERENCES sellers, d int NOT NULL)";
my $rows = 'SELECT i, i, 1, 1 FROM generate_series(1, 9) i';
my $protect = "SELECT idp.protect('buyers', 1e6, $rules, unit => 'id'), "
  . "idp.protect('sellers', 1e6, $rules, unit => 'id')";

sub begin
{
	$s->value('DROP TABLE IF EXISTS '
		  . join(', ', qw(items orders part whole other spare keys units heirs buyers sellers)) . ' CASCADE');
	$s->value('TRUNCATE idp.account, idp.account_end, idp.charge, idp.link');
	$s->value("CREATE TABLE $_ (id int PRIMARY KEY, code int NOT NULL UNIQUE); INSERT INTO $_ SELECT i, 10 - i "
		  . "FROM generate_series(1, 9) i") foreach 'buyers', 'sellers';
	$s->value("CREATE TABLE orders $orders; INSERT INTO orders $rows");
	$s->value("CREATE TABLE $_ $orders PARTITION BY LIST (d)") foreach 'whole', 'other';
	$s->value("CREATE TABLE part PARTITION OF whole FOR VALUES IN (1); INSERT INTO whole $rows");
	$s->value($_) foreach $protect, @_;
	return;
}
sub persons
{
	my ($column, $table) = @_;
	return "SELECT dp_count(5) FROM (SELECT $column FROM $table GROUP BY $column) q";
}
sub rows_of
{
	my ($table, $neighbours) = @_;
	return "SELECT idp.protect('$table', 1e6, " . ($neighbours // $rules) . ')';
}
sub spent
{
	my ($table) = @_;
	return $s->value("SELECT trim_scale(sum(spent)) FROM idp.protection "
		  . "WHERE table_name = '$table' AND active AND partition_of IS NULL");
}

sub refused
{
	my ($sql, $why, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $s->run($sql);
	like(($r->{sqlstate} // "done $r->{out}") . ' ' . ($r->{message} // ''), $why, $name);
	like($r->{hint} // '', qr/idp\.|forget => true/, "$name: with a way out");
	return;
}
sub done
{
	my ($sql, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $s->run($sql);
	is($r->{message}, undef, $name);
	return;
}

my $link = "SELECT idp.link('orders', 'buyer', 'buyers')";
my $detach = 'ALTER TABLE whole DETACH PARTITION part';
my $attach = 'ALTER TABLE other ATTACH PARTITION part FOR VALUES IN (1)';

# --- the persons' account ends, the link stays ------------------------------------------------------------

begin($link, persons('buyer', 'orders'), "SELECT idp.unprotect('buyers')");
refused("SELECT idp.link('orders', 'seller', 'sellers')", $linked,
	'orders of persons whose account has ended are linked still');
$s->value("SELECT idp.unlink('orders')");
refused("SELECT idp.link('orders', 'seller', 'sellers')", $no_bound, '... unlinked, they have a past');
done("SELECT idp.link('orders', 'seller', 'sellers', forget => true)", '... which may be forgotten');
is($s->value("SELECT count(*) FROM idp.ledger WHERE aggregate = 'idp.link(forget => true)'"), 1,
	'... as the ledger says');

my $link_whole = "SELECT idp.link('whole', 'buyer', 'buyers')";
begin($link_whole, persons('buyer', 'whole'), "SELECT idp.unprotect('buyers')", rows_of('part'));
is(spent('part'), 10, 'a part of what was linked, protected row by row: it has lost what two persons have');
begin($link_whole, persons('buyer', 'whole'), "SELECT idp.unprotect('buyers')", rows_of('part', "rows => 'visible'"));
is(spent('part'), 20, '... where rows are substituted, what four have');
begin($link_whole, 'SELECT idp_median(n, 1) FROM (SELECT buyer, count(*) AS n FROM whole GROUP BY buyer) c',
	"SELECT idp.unprotect('buyers')");
refused(rows_of('part', "rows => 'visible'"),
	qr/^55000 what answers about units tell of rows of table "part" that are substituted/,
	'... of idp_ answers, without a bound');
begin($link_whole, persons('buyer', 'whole'), "SELECT idp.unprotect('buyers')", $detach);
refused("SELECT idp.link('part', 'seller', 'sellers')", $no_bound,
	'a part that was detached when the account of persons had ended is not linked');
$s->run(rows_of('part'));
is(spent('part'), 10, '... and has lost that, protected row by row');

begin($detach, "SELECT idp.link('part', 'buyer', 'buyers')", persons('buyer', 'part'), "SELECT idp.unprotect('buyers')",
	rows_of('other'), $attach);
is(spent('other'), 10, 'what is linked is attached to a table that is protected row by row');
begin($detach, "SELECT idp.link('part', 'buyer', 'buyers')", persons('buyer', 'part'), "SELECT idp.unprotect('buyers')",
	$attach, rows_of('other'));
is(spent('other'), 10, '... which is protected afterwards');
begin($detach, "SELECT idp.link('part', 'buyer', 'buyers')", persons('buyer', 'part'), "SELECT idp.unprotect('buyers')",
	rows_of('other', "'add_remove', rows => 'visible', per => 'partition'"), $attach);
is($s->value("SELECT trim_scale(spent) FROM idp.protection WHERE table_name = 'part' AND active"), 10,
	'... with a budget for each partition');

# links come to life again with the account: what was asked meanwhile was charged to others
begin($link_whole, "SELECT idp.unprotect('buyers')", rows_of('part'), 'SELECT dp_count(5) FROM part',
	"SELECT idp.unprotect('part')");
refused("SELECT idp.protect('buyers', 1e6, unit => 'id')", $no_bound,
	'persons are protected again, of whose orders a part was asked row by row');
done("SELECT idp.protect('buyers', 1e6, unit => 'id', forget => true)", '... which may be forgotten');
begin($detach, "SELECT idp.link('other', 'buyer', 'buyers')", rows_of('part'), 'SELECT dp_count(5) FROM part',
	"SELECT idp.unprotect('part'), idp.unprotect('buyers')", $attach);
refused("SELECT idp.protect('buyers', 1e6, unit => 'id')", $no_bound,
	'... or to whose orders one was attached that had been');
begin($link, persons('buyer', 'orders'),
	"SELECT idp.unprotect('buyers'), idp.protect('buyers', 1e6, $rules, unit => 'id')");
is(spent('buyers'), 5, '... where nothing else was, with what they have lost');

# --- the account of a table ends, and then a part leaves it -----------------------------------------------

my @ended = (rows_of('whole'), 'SELECT dp_count(5) FROM whole', "SELECT idp.unprotect('whole')", $detach);
begin(@ended, rows_of('part'));
is(spent('part'), 5, 'a part leaves a table that is protected no more: it has lost what the table has');
begin(@ended, rows_of('part', "rows => 'visible'"));
is(spent('part'), 10, '... twice where rows are substituted');
begin(@ended, rows_of('other'), $attach);
is(spent('other'), 5, '... attached to another table');
begin(@ended);
refused("SELECT idp.link('part', 'buyer', 'buyers')", $no_bound, '... linked to persons');
begin(@ended, rows_of('other'), 'DROP TABLE orders', 'CREATE TABLE orders (id int)', rows_of('orders'),
	'SELECT dp_count(1) FROM orders', 'DROP TABLE orders', 'ALTER TABLE part RENAME TO orders');
refused('SELECT dp_count(1) FROM orders', qr/^0A000 .*that has the name of one that was dropped/,
	'... with the name of a dropped one');
begin('CREATE TABLE spare () INHERITS (orders)', rows_of('orders'), 'SELECT dp_count(5) FROM orders',
	"SELECT idp.unprotect('orders')", 'ALTER TABLE spare NO INHERIT orders', rows_of('spare'));
is(spent('spare'), 5, '... by inheritance');

# --- a linked table is dropped and made again -------------------------------------------------------------

# the things' first key is that of orders, in the order of their buyers; by the second they are others'
my $keys = 'CREATE TABLE keys (id int PRIMARY KEY, alt int NOT NULL UNIQUE, buyer int NOT NULL REFERENCES buyers); '
  . 'INSERT INTO keys SELECT i, 10 - i, i FROM generate_series(1, 9) i';
my $things = sub {
	my ($key) = @_;
	"CREATE TABLE items (ord int NOT NULL REFERENCES keys ($key)); INSERT INTO items SELECT generate_series(1, 9)"
};
my @shop = ($keys, $things->('id'), "SELECT idp.link('keys', 'buyer', 'buyers'), idp.link('items', 'ord', 'keys')");
my $asked = 'SELECT dp_count(5) FROM (SELECT k.buyer FROM items i JOIN keys k ON k.id = i.ord GROUP BY k.buyer) q';
begin(@shop, $asked, 'DROP TABLE items', $things->('alt'));
refused("SELECT idp.link('items', 'ord', 'keys')", $no_bound,
	'a linked table is made again, and refers to another column');
done("SELECT idp.link('items', 'ord', 'keys', forget => true)", '... which may be forgotten');
begin(@shop, $asked, 'DROP TABLE items', $things->('id'), "SELECT idp.link('items', 'ord', 'keys')");
done($asked, '... or to the same: it is linked as before');
begin(@shop, 'DROP TABLE items', $things->('alt'), "SELECT idp.link('items', 'ord', 'keys')");
done($asked =~ s/k\.id/k.alt/r, '... or to another one, where nothing was asked');

# whose the parent's rows are may have changed meanwhile
begin($link, persons('buyer', 'orders'), 'DROP TABLE orders', "CREATE TABLE orders $orders; INSERT INTO orders $rows",
	"SELECT idp.unprotect('buyers')", 'ALTER TABLE buyers ADD FOREIGN KEY (code) REFERENCES sellers',
	"SELECT idp.link('buyers', 'code', 'sellers', forget => true)");
refused($link, $no_bound, 'a linked table is made again, whose parent has units of another account');

# --- what waits for a name is a party to what becomes of the table ----------------------------------------

begin($detach,
	"ALTER TABLE other ADD FOREIGN KEY (seller) REFERENCES buyers; SELECT idp.link('other', 'seller', 'buyers')", $link,
	persons('buyer', 'orders'), 'DROP TABLE orders CASCADE', 'ALTER TABLE part RENAME TO orders');
refused('ALTER TABLE other ATTACH PARTITION orders FOR VALUES IN (1)', qr/^55000 table "orders" is linked already/,
	'a table whose link waits is attached to one that is linked by another column');
begin("CREATE TABLE units (id int PRIMARY KEY, d int); SELECT idp.protect('units', 1e6, $rules, unit => 'id')",
	'SELECT dp_count(5) FROM units',
	'DROP TABLE units', 'CREATE TABLE units (id int PRIMARY KEY, d int)', 'CREATE TABLE heirs (id int, d int)',
	rows_of('heirs'), 'ALTER TABLE units INHERIT heirs');
$s->value("SELECT idp.unprotect('units')");
is(spent('heirs'), 5, 'an account of units that waits ends, where the table is a part of another one');

$s->quit;
$node->stop;
done_testing();
