# Keys and units: what the catalogs promise holds for the rows that a query sees only if it was so when its
# snapshot was taken; and values that a key takes for equal are not the same for everything else.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('unit_keys', 'fsync = off');
my $s = session($node);
$s->value(<<'SQL');
CREATE EXTENSION IF NOT EXISTS idp;
CREATE TABLE customers (id integer PRIMARY KEY, age integer);
INSERT INTO customers SELECT i, i FROM generate_series(1, 100) i;
ANALYZE customers;
SELECT idp.protect('customers', 1e9, rows => 'visible', unit => 'id');
SQL

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# --- keys that are newer than the snapshot ----------------------------------------------------------------

# The rows that a snapshot sees may have been deleted since, and a unique index was made without them. A
# stable function reads with the snapshot of the query that calls it.
sub asks_with_an_older_snapshot
{
	my ($name, $setup, $change, $query) = @_;
	$s->value(<<"SQL");
$setup
CREATE OR REPLACE FUNCTION change() RETURNS integer LANGUAGE plpgsql VOLATILE AS \$\$BEGIN $change RETURN 1; END\$\$;
CREATE OR REPLACE FUNCTION ask(integer) RETURNS bigint LANGUAGE plpgsql STABLE AS \$\$DECLARE n bigint;
BEGIN $query INTO n; RETURN n; END\$\$;
SQL
	my $before = spent();
	foreach my $settings ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off;')
	{
		$s->value("BEGIN; $settings");
		my $r = $s->run('SELECT ask(change())');
		is($r->{sqlstate}, '0A000', "$name: refused") or diag $r->{out}, $r->{err};
		$s->value('ROLLBACK; RESET ALL');
	}
	is(spent(), $before, "$name: costs nothing");
	$s->value('SELECT change()');
	is($s->run(($query =~ s/INTO n//r))->{sqlstate}, undef, "$name: answered afterwards");
}

asks_with_an_older_snapshot('a unique index',
	'CREATE TABLE w (id integer NOT NULL, v integer); INSERT INTO w SELECT 1, i FROM generate_series(1, 1000) i;',
	'DELETE FROM w WHERE v > 1; CREATE UNIQUE INDEX ON w (id);',
	'SELECT dp_count(1) FROM customers c JOIN w ON w.id = c.id');
asks_with_an_older_snapshot('a partition',
	'CREATE TABLE parts (id integer PRIMARY KEY) PARTITION BY RANGE (id);
	 CREATE TABLE part (id integer NOT NULL, v integer);
	 INSERT INTO part SELECT 1, i FROM generate_series(1, 1000) i;',
	'DELETE FROM part WHERE v > 1; ALTER TABLE part DROP v; ALTER TABLE parts ATTACH PARTITION part FOR VALUES '
	  . 'FROM (0) TO (100);',
	'SELECT dp_count(1) FROM customers c JOIN parts ON parts.id = c.id');

# --- equal, and not the same ------------------------------------------------------------------------------

sub link_tables
{
	my ($type, $values, $collation) = @_;
	$s->value(<<"SQL");
CREATE TABLE units (id $type PRIMARY KEY, age integer);
CREATE TABLE entries (id integer PRIMARY KEY, owner $type NOT NULL REFERENCES units);
INSERT INTO units SELECT v, 1 FROM ($values) s (i, v) WHERE i = 1;
INSERT INTO entries SELECT i, v FROM ($values) s (i, v);
SELECT idp.protect('units', 1e9, rows => 'visible', unit => 'id');
SELECT idp.link('entries', 'owner', 'units', forget => true);
SQL
}

foreach my $case (
	[ 'numeric', "SELECT i, ('1.' || repeat('0', i))::numeric FROM generate_series(1, 100) i" ],
	[ 'float8', "SELECT i, CASE WHEN i % 2 = 0 THEN '-0' ELSE '0' END::float8 FROM generate_series(1, 100) i" ],
	[ 'interval', "SELECT i, make_interval(months => 100 - i, days => 30 * i) FROM generate_series(1, 100) i" ],
	[ 'bpchar', "SELECT i, ('x' || repeat(' ', i))::bpchar FROM generate_series(1, 100) i" ])
{
	my ($type, $values) = @$case;
	link_tables($type, $values);
	my $text = $type eq 'bpchar' ? 'octet_length(owner)' : 'owner::text';
	my $groups = $s->value("SELECT count(*) FROM (SELECT owner, $text FROM entries GROUP BY owner, $text) g");
	cmp_ok($groups, '>', 1, "$type: values of one owner are told apart, $groups");
	my $before = spent();
	is($s->run("SELECT dp_count(1) FROM (SELECT owner, $text FROM entries GROUP BY owner, $text) g")->{sqlstate},
		'0A000', "$type: not taken for one row of the unit");
	is(spent(), $before, "$type: nothing charged");
	is($s->run('SELECT dp_count(1) FROM (SELECT owner FROM entries GROUP BY owner) g')->{sqlstate}, undef,
		"$type: by the key itself");
	is(spent() - $before, 1, "$type: one row of each");
	$s->value("SELECT idp.unlink('entries'); SELECT idp.unprotect('units'); DROP TABLE entries, units");
}
link_tables('integer', 'SELECT i, 1 FROM generate_series(1, 100) i');
is($s->run('SELECT dp_count(1) FROM (SELECT owner, owner::text FROM entries '
	  . 'GROUP BY owner, owner::text) g')->{sqlstate}, undef, 'integers that are equal are the same');
$s->value("SELECT idp.unlink('entries'); SELECT idp.unprotect('units'); DROP TABLE entries, units");

# --- a collation that is changed later ----------------------------------------------------------------------

# Texts that a key takes for equal are as many rows of one person as they have spellings.
$s->value("CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
my $spellings = q{SELECT i, string_agg(CASE WHEN i >> k & 1 = 0 THEN 'a' ELSE 'A' END, '') }
  . q{FROM generate_series(1, 1024) i, generate_series(0, 9) k GROUP BY i};
foreach my $case ([ 'both', 'units', 'id', 'entries', 'owner' ], [ 'the unit', 'units', 'id' ],
	[ 'the link', 'entries', 'owner' ])
{
	my ($name, @changes) = @$case;
	link_tables('text COLLATE "C"', "SELECT 1, 'aaaaaaaaaa'");
	my $query = 'SELECT dp_count(1) FROM (SELECT o FROM (SELECT owner COLLATE "C" AS o FROM entries) e GROUP BY o) g';
	is($s->run($query)->{sqlstate}, undef, "the collation of $name: answered before");
	my $before = spent();
	my @change;
	while (my ($table, $column) = splice @changes, 0, 2)
	{
		push @change, "ALTER TABLE $table ALTER $column TYPE text COLLATE any_case";
	}
	if ($major >= 18)
	{
		# from there on a foreign key has such a collation on both sides or on none: it has to be made anew
		is($s->run($change[0])->{sqlstate}, '42P21',
			"the collation of $name: the server does not let one side have another");
		if ($name ne 'both')
		{
			$s->value("SELECT idp.unlink('entries'); SELECT idp.unprotect('units'); DROP TABLE entries, units");
			next;
		}
		@change = ('ALTER TABLE entries DROP CONSTRAINT entries_owner_fkey', @change,
			'ALTER TABLE entries ADD FOREIGN KEY (owner) REFERENCES units');
	}
	$s->value($_) foreach @change;
	$s->value("INSERT INTO entries SELECT i + 1, v FROM ($spellings) s (i, v)") if $name eq 'both';
	is($s->value('SELECT count(*) FROM (SELECT owner COLLATE "C" AS o FROM entries GROUP BY 1) g'), 1024,
		'one person has as many rows as spellings') if $name eq 'both';
	my $r = $s->run($query);
	is($r->{sqlstate}, '0A000', "the collation of $name, changed later: refused");
	like($r->{message}, qr/takes different texts for equal/, "the collation of $name, changed later: that is why");
	is(spent(), $before, "the collation of $name, changed later: nothing charged");
	$s->value("SELECT idp.unlink('entries'); SELECT idp.unprotect('units')");
	is($s->run("SELECT idp.protect('units', 1e9, rows => 'visible', unit => 'id'); "
		  . "SELECT idp.link('entries', 'owner', 'units')")->{sqlstate}, $name eq 'the link' ? '42830' : '42P16',
		"the collation of $name: not declared anew");
	$s->run("SELECT idp.unprotect('units')");
	$s->value('DROP TABLE entries, units');
}
link_tables('text', q{SELECT 1, 'a'});
$s->value('CREATE UNIQUE INDEX ON units (id COLLATE any_case)');
is($s->run('SELECT dp_count(1) FROM (SELECT owner FROM entries GROUP BY owner) g')->{sqlstate}, '0A000',
	'nor with an index of such a collation, which a foreign key could follow');
$s->value("SELECT idp.unlink('entries'), idp.unprotect('units'); DROP TABLE entries, units");

# --- a foreign key that means another row in each time zone ------------------------------------------------

$s->value(<<'SQL');
SET TimeZone = 'UTC';
CREATE TABLE births (at timestamptz PRIMARY KEY);
CREATE TABLE visits (id integer PRIMARY KEY, born date NOT NULL REFERENCES births);
INSERT INTO births VALUES ('2020-01-01 00:00+00'), ('2020-01-01 00:00+05');
INSERT INTO visits VALUES (1, '2020-01-01');
SET TimeZone = 'Etc/GMT-5';
INSERT INTO visits VALUES (2, '2020-01-01');
RESET TimeZone;
SELECT idp.protect('births', 10, rows => 'visible', unit => 'at');
SQL
like($s->run("SELECT idp.link('visits', 'born', 'births')")->{detail}, qr/in the time zone of the session/,
	'a date refers to different persons in different time zones: no link');

# --- a foreign key that takes other values for equal than its column does ---------------------------------

# It compares as the unique index does that it refers to, after a cast: one person has any number of rows of a column
# that is unique.
sub declared_by
{
	my ($of_unit, $of_link) = @_;
	$s->value(<<"SQL");
CREATE TABLE units (id $of_unit PRIMARY KEY, age integer);
CREATE TABLE accounts (owner $of_link NOT NULL UNIQUE REFERENCES units);
SELECT idp.protect('units', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SQL
	return $s->run("SELECT idp.link('accounts', 'owner', 'units', forget => true)");
}

foreach my $case (
	[ 'char(10)', 'text', "('p42' || repeat(' ', i))" ],
	[ 'char(10)', 'varchar', "('p42' || repeat(' ', i))" ],
	[ 'text', 'bpchar', "'p42'" ],
	[ 'float8', 'numeric(40,30)', "(1 + i * 1e-28)" ],
	[ 'float8', 'bigint', "((1::bigint << 60) + i)" ],
	[ 'float4', 'integer', "((1 << 30) + i)" ])
{
	my ($of_unit, $of_link, $value) = @$case;
	my $r = declared_by($of_unit, $of_link);
	is($r->{sqlstate}, '42830', "$of_unit referred to by $of_link: no link");
	like($r->{detail}, qr/rows with different ones may refer to the same row/,
		"$of_unit referred to by $of_link: that is why");
	like($r->{hint}, qr/Give both columns the same type/, "$of_unit referred to by $of_link: the way out");
	my $rows = $of_link eq 'bpchar' ? 1 : 9;
	$s->value("INSERT INTO units SELECT $value FROM generate_series(0, 0) i; INSERT INTO accounts SELECT $value "
		  . "FROM generate_series(1, $rows) i");
	is($s->value('SELECT count(*) FROM accounts'), $rows, "$of_unit referred to by $of_link: $rows rows of one");
	$s->value("SELECT idp.unprotect('units'); DROP TABLE accounts, units");
}
foreach my $case ([ 'bigint', 'integer' ], [ 'integer', 'bigint' ], [ 'text', 'varchar(10)' ], [ 'varchar(10)',
	'text' ], [ 'uuid', 'uuid' ], [ 'date', 'date' ], [ 'numeric(10,2)', 'numeric' ], [ 'name', 'text' ])
{
	my ($of_unit, $of_link) = @$case;
	is(declared_by($of_unit, $of_link)->{sqlstate}, undef, "$of_unit referred to by $of_link: a link");
	my $before = spent();
	is($s->run('SELECT dp_count(1) FROM accounts')->{sqlstate}, undef,
		"$of_unit referred to by $of_link: one row of each");
	is(spent() - $before, 1, "$of_unit referred to by $of_link: for one epsilon");
	$s->value("SELECT idp.unlink('accounts'), idp.unprotect('units'); DROP TABLE accounts, units");
}
declared_by('char(10)', 'char(10)');
$s->value('ALTER TABLE accounts ALTER owner TYPE text');
like($s->run('SELECT dp_count(1) FROM accounts')->{message},
	qr/foreign key to the table of the unit takes different values for equal/, 'a type that is changed later: refused');
$s->value("SELECT idp.unlink('accounts'), idp.unprotect('units'); DROP TABLE accounts, units");

# Equality of another operator class: as its index of that takes them, equal values are different.
$s->value(<<'SQL');
CREATE TYPE comp AS (n numeric);
CREATE TABLE units (id comp NOT NULL, age integer);
CREATE UNIQUE INDEX ON units (id record_image_ops);
ALTER TABLE units ADD PRIMARY KEY (id);
CREATE TABLE entries (owner comp NOT NULL REFERENCES units);
CREATE UNIQUE INDEX ON entries (owner record_image_ops);
INSERT INTO units VALUES (ROW(1)::comp, 42);
INSERT INTO entries SELECT ROW(('1.' || repeat('0', i))::numeric)::comp FROM generate_series(1, 99) i;
SELECT idp.protect('units', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('entries', 'owner', 'units', forget => true);
SQL
my $paid = spent();
like($s->run('SELECT dp_count(1) FROM entries')->{message}, qr/of which one unit may have any number/,
	'unique by record_image_ops: 99 rows of one person');
like($s->run('SELECT dp_count(1) FROM (SELECT owner FROM entries GROUP BY owner ORDER BY owner USING *<) q')->{message},
	qr/cannot be computed over/, 'a key of record_image_ops beside the primary key: groups by it are not persons');
is($s->value('SELECT count(*) FROM (SELECT owner FROM entries GROUP BY owner ORDER BY owner USING *<) q'), 99,
	'a key of record_image_ops beside the primary key: 99 of one');
is($s->run('SELECT dp_count(1) FROM (SELECT owner FROM entries GROUP BY owner) q')->{sqlstate}, undef,
	'by the equality of the primary key: persons');
is(spent() - $paid, 1, 'by the equality of the primary key: one epsilon');
$s->value("SELECT idp.unlink('entries'), idp.unprotect('units'); DROP TABLE entries; "
	  . "ALTER TABLE units DROP CONSTRAINT units_pkey");
is($s->run("SELECT idp.protect('units', 10, unit => 'id')")->{sqlstate}, '42P16',
	'a key of record_image_ops alone tells no units apart');
$s->value('DROP TABLE units');

# --- columns that change their names, and other foreign keys of them ---------------------------------------

sub sell
{
	$s->value(<<'SQL');
CREATE TABLE units (id integer PRIMARY KEY, code integer NOT NULL UNIQUE);
CREATE TABLE entries (id integer PRIMARY KEY, buyer integer NOT NULL REFERENCES units,
  seller integer NOT NULL REFERENCES units);
CREATE TABLE things (id integer PRIMARY KEY, entry integer NOT NULL REFERENCES entries);
INSERT INTO units SELECT i, i % 9 + 1 FROM generate_series(1, 9) i;
INSERT INTO entries SELECT i, i, 1 FROM generate_series(1, 9) i;
SELECT idp.protect('units', 1e9, 'add_remove', rows => 'visible', unit => 'id'),
  idp.link('entries', 'buyer', 'units', forget => true), idp.link('things', 'entry', 'entries', forget => true);
SQL
	return;
}
sub sold
{
	$s->value("SELECT idp.unlink('things'), idp.unlink('entries'), idp.unprotect('units'); "
		  . "DROP TABLE things, entries, units");
	return;
}
my $buyers = sub { $s->run("SELECT dp_count(1e6) FROM (SELECT $_[0] FROM entries GROUP BY $_[0]) q") };
foreach my $command ('TABLE', 'VIEW', 'MATERIALIZED VIEW', 'INDEX')
{
	sell();
	my @done = map { $s->run("ALTER $command entries RENAME COLUMN $_")->{sqlstate} }
	  'buyer TO b', 'seller TO buyer', 'b TO seller';
	my ($buyer, $other) = defined $done[0] ? qw(buyer seller) : qw(seller buyer);
	is($s->value(q{SELECT "column" FROM idp.link WHERE relation = 'entries'::regclass::oid}), $buyer,
		"ALTER $command … RENAME: the link follows its column");
	is($buyers->($buyer)->{out}, 9, "ALTER $command … RENAME: persons are who they were");
	is($buyers->($other)->{sqlstate}, '0A000', "ALTER $command … RENAME: others are none");
	sold();
}
sell();
$s->value('ALTER TABLE units RENAME id TO i; ALTER TABLE units RENAME code TO id');
is($s->value("SELECT unit FROM idp.budget WHERE table_name = 'units'"), 'i', 'RENAME: the unit follows its column');
is($buyers->('buyer')->{out}, 9, 'RENAME of the unit: persons are who they were');
sold();
foreach my $constraint ('a', 'z')
{
	sell();
	$s->value("ALTER TABLE entries ADD CONSTRAINT $constraint FOREIGN KEY (buyer) REFERENCES units (code)");
	is($buyers->('buyer')->{sqlstate}, undef,
		"another foreign key, $constraint, to another column: that to the unit counts");
	$s->value('ALTER TABLE entries DROP CONSTRAINT entries_buyer_fkey');
	like($buyers->('buyer')->{message}, qr/foreign key to the table of the unit was dropped or changed/,
		"another foreign key, $constraint, in its place: refused");
	sold();
}
sell();
$s->value('ALTER TABLE entries ADD code integer UNIQUE; UPDATE entries SET code = 10 - id; ALTER TABLE entries '
	  . 'ALTER code SET NOT NULL; ALTER TABLE things ADD CONSTRAINT a FOREIGN KEY (entry) REFERENCES entries (code)');
my $along = 'SELECT dp_count(1) FROM (SELECT e.buyer FROM entries e JOIN things t ON t.entry = e.id GROUP BY 1) q';
is($s->run($along)->{sqlstate}, undef,
	'two foreign keys to different columns of a linked table: the one that it was linked by counts');
is($s->run($along =~ s/e\.id/e.code/r)->{sqlstate}, '0A000',
	'two foreign keys to different columns of a linked table: the other does not');
$s->value('ALTER TABLE things DROP CONSTRAINT things_entry_fkey');
like($s->run($along)->{message}, qr/foreign key to the table of the unit was dropped or changed/,
	'the other one alone: refused');
sold();

# --- keys of parts whose columns are put elsewhere -------------------------------------------------------------

# Of a partitioned table no two rows agree on (a, b, c). Of parts put together it is so where each has its columns in
# the same places, or the same ones are equal to the same values. The pairs with one person are counted.
$s->value(<<'SQL');
CREATE TABLE spread (a int NOT NULL, b int NOT NULL, c int NOT NULL, UNIQUE (a, b, c)) PARTITION BY LIST (a);
CREATE TABLE spread1 PARTITION OF spread FOR VALUES IN (1); CREATE TABLE spread2 PARTITION OF spread FOR VALUES IN (2);
CREATE TABLE spread3 PARTITION OF spread FOR VALUES IN (3);
INSERT INTO spread SELECT a, b, c FROM generate_series(1, 3) a, generate_series(1, 3) b, generate_series(1, 3) c;
CREATE TABLE persons (id int PRIMARY KEY, x int NOT NULL, y int NOT NULL, z int NOT NULL);
INSERT INTO persons VALUES (1, 1, 2, 3), (2, 2, 1, 1), (3, 3, 3, 2), (4, 1, 1, 2);
CREATE TABLE sightings (person int NOT NULL REFERENCES persons, a int NOT NULL, b int NOT NULL, c int NOT NULL,
  UNIQUE (person, a, b, c)) PARTITION BY LIST (a);
CREATE TABLE sightings1 PARTITION OF sightings FOR VALUES IN (1);
CREATE TABLE sightings2 PARTITION OF sightings FOR VALUES IN (2);
CREATE TABLE sightings3 PARTITION OF sightings FOR VALUES IN (3);
INSERT INTO sightings SELECT id, s.* FROM persons, spread s;
SELECT idp.protect('persons', 1e9, 'add_remove', rows => 'visible', unit => 'id'),
  idp.link('sightings', 'person', 'persons');
SQL
my @orders = (['a', 'b', 'c'], ['a', 'c', 'b'], ['b', 'a', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b'], ['c', 'b', 'a']);
my ($tried, $answered, @wrong) = (0, 0);
srand 80;
foreach (1 .. 120)
{
	my $of = rand() < 0.5 ? 'sightings' : 'spread';
	my $same = rand() < 0.15 ? $orders[rand 6] : undef;
	my ($pinned, $value) = (rand() < 0.4, 1 + int rand 3);
	my $which = int rand 3;
	my @members = map {
		my @order = @{ $same // $orders[rand 6] };
		my $where = $pinned ? " WHERE $order[$which] = $value" : '';
		my @shown = $pinned ? map { $_ == $which ? 'NULL::int' : $order[$_] } 0 .. 2 : @order;
		'SELECT ' . ($of eq 'sightings' ? 'person, ' : '')
		  . "$shown[0] AS a, $shown[1] AS b, $shown[2] AS c FROM $of$_$where"
	} grep { rand() < 0.8 } 1 .. 3;
	next if @members < 2;
	my @joined = map { (qw(u.a=p.x u.b=p.y u.c=p.z))[$_] } grep { !$pinned || $_ != $which } 0 .. 2;
	unshift @joined, 'u.person = p.id' if $of eq 'sightings';
	my $from = 'FROM persons p JOIN (' . join(' UNION ALL ', @members) . ') u ON ' . join ' AND ', @joined;
	my $most = $s->value("SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n $from GROUP BY p.id) q");
	my $cost = $s->run("SELECT sum(epsilon) FROM idp.cost(\$\$SELECT dp_count(1000) $from\$\$)");
	++$tried;
	next if $cost->{sqlstate};
	++$answered;
	push @wrong, "$most rows of a person for $cost->{out}: $from" if $cost->{out} < 1000 * $most;
}
is(join("\n", @wrong), '', "parts in any order of columns: $answered of $tried answered");
cmp_ok($answered, '>', 10, '... some are');
is($s->value("SELECT sum(epsilon) FROM idp.cost(\$\$SELECT dp_count(1000) FROM persons p JOIN (SELECT a, b, c "
	  . "FROM spread1 UNION ALL SELECT a, b, c FROM spread2) u ON u.a = p.x AND u.b = p.y AND u.c = p.z\$\$)"),
	1000, '... once where their columns are in the same places');

$s->quit;
$node->stop;
done_testing();
