# Units and links are columns, not names: another column that gets the name of one, by whatever command,
# tells nobody's rows. Tables are copied, upgraded and restored, where columns have other numbers.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('columns', 'bare', 'fsync = off');
my $dir = abs_path($node->basedir);

sub create
{
	my ($database, $extension) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $extension) if $extension;
	return session($node, $database);
}

# Nine persons, who bought one entry each; the first one sold all of them. Each has one thing, too, and
# entries have a second key, by which the things are those of the first person. Columns were dropped
# before, so that the numbers of buyer and seller are others in a copy: there 3 is that of seller.
my $tables = <<'SQL';
CREATE TABLE units (junk integer, code integer NOT NULL UNIQUE, id integer PRIMARY KEY);
CREATE TABLE entries (id integer PRIMARY KEY, junk integer, buyer integer NOT NULL REFERENCES units (id),
  seller integer NOT NULL REFERENCES units (id), other_id integer NOT NULL UNIQUE);
CREATE TABLE things (id integer PRIMARY KEY, entry integer NOT NULL REFERENCES entries);
ALTER TABLE units DROP junk; ALTER TABLE entries DROP junk;
INSERT INTO units SELECT i % 9 + 1, i FROM generate_series(1, 9) i;
INSERT INTO entries SELECT i, i, 1, i + 9 FROM generate_series(1, 9) i;
INSERT INTO entries SELECT i, 1, 1, i - 9 FROM generate_series(10, 18) i;
INSERT INTO things SELECT i, i FROM generate_series(1, 9) i;
SQL
my $links = "SELECT idp.protect('units', 1e9, 'add_remove', rows => 'visible', unit => 'id'), "
  . "idp.link('entries', 'buyer', 'units'), idp.link('things', 'entry', 'entries')";

sub by { my ($column) = @_; return "SELECT dp_count(1e6) FROM (SELECT $column FROM entries GROUP BY $column) q" }
sub along
{
	my ($column) = @_;
	return "SELECT dp_count(1e6) FROM (SELECT e.buyer FROM entries e JOIN things t ON t.entry = e.$column "
	  . "GROUP BY e.buyer) q";
}
my $gone = qr/^0A000 .*foreign key to the table of the unit was dropped or changed/;
my $gone_key = qr/^0A000 .*unit no key tells apart any more/;

sub refused
{
	my ($s, $sql, $why, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $s->run($sql);
	like(($r->{sqlstate} // "answered $r->{out}") . ' ' . ($r->{message} // ''), $why, $name);
	return;
}

# Everything that gives a column of a unit or a link its name to another one, or lets rows refer to other
# rows: answers are those about the same persons, or none.
sub holds
{
	my ($s, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is($s->value(by('buyer')), 9, "$name: buyers are persons");
	refused($s, by('seller'), qr/^0A000/, "$name: sellers are none");
	is($s->value(along('id')), 9, "$name: so are those of things");
	refused($s, along('other_id'), qr/^0A000/, "$name: by the other key they are none");

	$s->value('BEGIN; ALTER TABLE entries DROP COLUMN buyer; ALTER TABLE entries RENAME seller TO buyer');
	refused($s, by('buyer'), $gone, "$name: the column is dropped, another one gets its name");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE entries RENAME buyer TO b; ALTER TABLE entries RENAME seller TO buyer');
	refused($s, by('buyer'), qr/^0A000/, "$name: columns swap their names");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE entries RENAME buyer TO b; ALTER TABLE entries RENAME seller TO buyer');
	is($s->value(by('b')), 9, "$name: the one that was linked is what it was");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE units DROP COLUMN id CASCADE; ALTER TABLE units RENAME code TO id; '
		  . 'ALTER TABLE entries ADD FOREIGN KEY (buyer) REFERENCES units (id)');
	refused($s, by('buyer'), $gone_key, "$name: the column of the unit is dropped, another one gets its name");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE units DROP COLUMN id CASCADE; ALTER TABLE units RENAME code TO id');
	refused($s, "SELECT idp.protect('units', 10, unit => 'id')",
		qr/^2BP01 units of table "units" cannot be told apart by another column/,
		"$name: ... which does not become the unit's");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE entries DROP CONSTRAINT entries_buyer_fkey, '
		  . 'ADD CONSTRAINT entries_buyer_fkey FOREIGN KEY (buyer) REFERENCES units (code)');
	refused($s, by('buyer'), $gone, "$name: the foreign key refers to another column of the unit");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE things DROP CONSTRAINT things_entry_fkey, '
		  . 'ADD CONSTRAINT things_entry_fkey FOREIGN KEY (entry) REFERENCES entries (other_id)');
	refused($s, along('other_id'), $gone, "$name: that of things to another column of entries");
	$s->value('ROLLBACK; BEGIN; ALTER TABLE things ADD CONSTRAINT a FOREIGN KEY (entry) REFERENCES entries (other_id)');
	refused($s, along('other_id'), qr/^0A000/, "$name: ... or to both");
	$s->value('ROLLBACK');
	is($s->value("SELECT spent FROM idp.budget WHERE table_name = 'units'") % 1e6, 0,
		"$name: nothing else was charged");
	return;
}

my $s = create('original', 'CREATE EXTENSION idp');
$s->value("$tables $links");
holds($s, 'as made');

# --- composite types that tables are of -------------------------------------------------------------------

my $t = create('typed', 'CREATE EXTENSION idp');
$t->value(<<"SQL");
CREATE TYPE unit AS (id integer, code integer);
CREATE TYPE entry AS (id integer, buyer integer, seller integer);
CREATE TABLE units OF unit (PRIMARY KEY (id), UNIQUE (code), code NOT NULL);
CREATE TABLE entries OF entry (PRIMARY KEY (id), buyer NOT NULL REFERENCES units (id),
  seller NOT NULL REFERENCES units (id));
INSERT INTO units SELECT i, i % 9 + 1 FROM generate_series(1, 9) i;
INSERT INTO entries SELECT i, i, 1 FROM generate_series(1, 9) i;
SELECT idp.protect('units', 1e9, 'add_remove', rows => 'visible', unit => 'id'), idp.link('entries', 'buyer', 'units');
SQL
$t->value('ALTER TYPE entry RENAME ATTRIBUTE buyer TO b CASCADE; '
	  . 'ALTER TYPE entry RENAME ATTRIBUTE seller TO buyer CASCADE');
refused($t, by('buyer'), qr/^0A000/, 'ALTER TYPE … RENAME ATTRIBUTE: sellers are no persons by the name of buyers');
is($t->value(by('b')), 9, 'ALTER TYPE … RENAME ATTRIBUTE: buyers are');
is($t->value('SELECT "column" FROM idp.link'), 'b', 'ALTER TYPE … RENAME ATTRIBUTE: the link follows');
$t->value('ALTER TYPE unit RENAME ATTRIBUTE id TO i CASCADE; ALTER TYPE unit RENAME ATTRIBUTE code TO id CASCADE');
is($t->value(by('b')), 9, 'ALTER TYPE … RENAME ATTRIBUTE of the unit: persons are who they were');
is($t->value("SELECT unit FROM idp.budget WHERE table_name = 'units'"), 'i',
	'ALTER TYPE … RENAME ATTRIBUTE: the unit follows');
$t->value('ALTER TYPE entry DROP ATTRIBUTE b CASCADE; ALTER TYPE entry RENAME ATTRIBUTE buyer TO b CASCADE');
refused($t, by('b'), $gone, 'ALTER TYPE … DROP ATTRIBUTE, and another one gets its name');
$t->quit;

# --- copies -----------------------------------------------------------------------------------------------

my %restore = (
	plain => sub {
		my ($copy, $file) = @_;
		[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($copy), '-f', $file ]
	},
	custom => sub { my ($copy, $file) = @_; [ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $file ] },
	parallel => sub {
		my ($copy, $file) = @_;
		[ 'pg_restore', '--exit-on-error', '-j4', '-d', $node->connstr($copy), $file ]
	});
sub copy_of
{
	my ($database, $copy, $how) = @_;
	my $format = $how eq 'plain' ? 'plain' : 'custom';
	$node->command_ok([ 'pg_dump', "--format=$format", '-f', "$dir/$copy", $node->connstr($database) ],
		"pg_dump of $database, $how");
	create($copy)->quit;
	$node->command_ok($restore{$how}->($copy, "$dir/$copy"), "restored: $copy");
	return session($node, $copy);
}

my $numbers = "SELECT string_agg(attname || ' ' || attnum, ', ' ORDER BY attnum) FROM pg_attribute "
  . "WHERE attrelid = 'entries'::regclass AND attnum > 0 AND NOT attisdropped";
my $before = $s->value($numbers);
foreach my $how (sort keys %restore)
{
	my $copy = copy_of('original', "copy_$how", $how);
	isnt($copy->value($numbers), $before, "$how: columns of the copy have other numbers");
	is($copy->value('SELECT string_agg(from_column::text || \' \' || to_column::text, \', \' '
		  . 'ORDER BY name) FROM idp.link'),
		'public.entries.buyer public.units.id, public.things.entry public.entries.id', "$how: links have these");
	holds($copy, $how);
	$copy->quit;
}

# one whose column is gone stays without it
$s->value('ALTER TABLE entries DROP COLUMN buyer');
my $without = copy_of('original', 'without', 'plain');
$without->value('ALTER TABLE entries RENAME seller TO buyer');
refused($without, by('buyer'), $gone,
	'a column that was dropped before the dump: another one gets its name in the copy');
$without->quit;

# --- earlier versions -------------------------------------------------------------------------------------

my $old = create('old', "CREATE EXTENSION idp VERSION '0.3.0'");
$old->value("$tables $links");
foreach my $how (sort keys %restore)
{
	my $copy = copy_of('old', "from_old_$how", $how);
	# several processes may bring a link after its foreign key (docs/how-to/operate.md)
	$copy->value('SELECT idp.bind_columns()') if $how eq 'parallel';
	is($copy->value('SELECT count(*) FROM idp.link WHERE from_column IS NULL OR to_column IS NULL'), 0,
		"a dump of 0.3.0, $how: links have numbers");
	holds($copy, "a dump of 0.3.0, $how");
	$copy->quit;
}
$old->value('ALTER EXTENSION idp UPDATE');
$old->quit;
$old = session($node, 'old');
holds($old, 'upgraded');
$old->value('UPDATE idp.link SET from_column = NULL, to_column = NULL; UPDATE idp.account SET unit_column = NULL');
refused($old, by('buyer'), qr/^0A000/, 'without numbers nobody is a person');
$old->value("SELECT idp.protect('units', 1e9)");
holds($old, 'protected again');
is($old->run('SELECT \'public.entries\'::idp.column_reference')->{sqlstate}, '22P02', 'no reference to a column');
is($old->value("SELECT 'public.entries.junk'::idp.column_reference, '-'::idp.column_reference, "
	  . "'public.nothing.x'::idp.column_reference"), '-|-|-', 'a column that is not there is none');

$_->quit foreach $s, $old;
$node->stop;
done_testing();
