# pg_upgrade to a new cluster: budgets, rules, the ledger, releases, domains and functions that are trusted
# are there afterwards, and rows are as hidden as before. Answers that repeat are drawn anew, and charged: the
# numbers of functions and operators of extensions, by which questions are known, are others.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = new_node('old');
my $new = PostgreSQL::Test::Cluster->new('new');
IdpTest::init($new);
$_->append_conf('postgresql.conf', "shared_preload_libraries = 'idp'") foreach $old, $new;
$old->restart;

my $path = 'SET search_path = pg_catalog, pg_temp';
my $s = session($old);
$s->value(<<"SQL");
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS idp; CREATE ROLE analyst; CREATE ROLE owner;
CREATE TABLE person (id int PRIMARY KEY, age int, status text NOT NULL);
CREATE TABLE visit (id int PRIMARY KEY, person int NOT NULL REFERENCES person, day date);
INSERT INTO person SELECT i, i % 90, 's' || i % 3 FROM generate_series(1, 400) i;
INSERT INTO visit SELECT i, 1 + i % 400, date '2025-01-01' + i % 100 FROM generate_series(1, 1000) i;
CREATE TABLE part (id int, g int) PARTITION BY LIST (g);
CREATE TABLE part0 PARTITION OF part FOR VALUES IN (0);
ALTER TABLE person OWNER TO owner; ALTER TABLE visit OWNER TO owner;
CREATE FUNCTION half(int) RETURNS int IMMUTABLE $path BEGIN ATOMIC SELECT \$1 / 2; END;
CREATE FUNCTION renamed(int) RETURNS int IMMUTABLE $path BEGIN ATOMIC SELECT \$1 / 3; END;
SELECT idp.trust_function('half(int)'), idp.trust_function('renamed(int)');
SET ROLE owner;
SELECT idp.protect('person', 1e6, unit => 'id', repeat => 'forever', epsilon => 0.5, delta => 0.1);
SELECT idp.link('visit', 'person', 'person', max_rows => 5);
SELECT idp.set_domain('person', 'status', ARRAY['s0', 's1', 's2']), idp.set_domain('person', 'age', 0, 99);
GRANT SELECT ON person, visit TO analyst;
RESET ROLE;
SELECT idp.protect('part', 10);
SELECT idp_median(age, 0.25, 'ages') FROM person;
SQL
# another name is another function
$s->value('ALTER FUNCTION renamed(int) RENAME TO other; '
	. "CREATE FUNCTION renamed(int) RETURNS int IMMUTABLE $path BEGIN ATOMIC SELECT \$1 / 3; END");
is($s->value('SELECT function FROM idp.trusted_function'), 'public.half(integer)', 'a new name takes trust back');

my @questions = (
	'SELECT status, count(*), sum(age) FROM person GROUP BY status ORDER BY status',
	'SELECT status, count(*) FROM person p JOIN visit v ON v.person = p.id GROUP BY status ORDER BY status',
	'SELECT count(*) FROM person WHERE half(age) > 20');
my @refused = (
	'SELECT * FROM person', 'SELECT max(id) FROM visit', 'SELECT dp_count(1) FROM person WHERE other(age) > 20',
	'SELECT g FROM part0', "INSERT INTO idp.trusted_function VALUES ('x')");
my @kept = (
	'SELECT * FROM idp.budget ORDER BY 1', 'SELECT * FROM idp.protection ORDER BY 1',
	'SELECT * FROM idp.ledger ORDER BY 1, 2', 'SELECT * FROM idp.trusted_function', 'TABLE idp.domains',
	"SELECT relname, relrowsecurity FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 2200 ORDER BY 1",
	'SELECT objtype, count(*) FROM (SELECT (pg_identify_object(classid, objid, objsubid)).type AS objtype '
	  . "FROM pg_depend WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp') AND deptype = 'e') o "
	  . 'GROUP BY 1 ORDER BY 1');

# What the questions give the analyst, each with its columns.
sub asked
{
	$s->value('SET ROLE analyst; SET client_min_messages = error');
	my @said = map { my $r = $s->run($_); $r->{message} // $r->{out} } @questions;
	$s->value('RESET ROLE; RESET client_min_messages');
	return @said;
}

# What a server says of what is refused, and of what is kept.
sub said
{
	my ($node) = @_;
	my $admin = session($node);
	my $analyst = session($node);
	$analyst->value('SET client_min_messages = error; SET ROLE analyst');
	my @said = map { my $r = $analyst->run($_); "$_: " . ($r->{message} // $r->{out}) } @refused;
	my @facts = map { my $r = $admin->run($_); "$_: " . ($r->{message} // $r->{out}) } @kept;
	$_->quit foreach $admin, $analyst;
	return (@said, @facts);
}
my @first = asked();
$s->quit;
my @before = said($old);
$old->stop;

my $bin = $old->config_data('--bindir');
chdir $PostgreSQL::Test::Utils::tmp_check or die "chdir: $!";
command_ok(
	[ "$bin/pg_upgrade", '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin,
		'-s', $new->host, '-p', $old->port, '-P', $new->port ],
	'pg_upgrade');
$new->start;
my @after = said($new);
is($after[$_], $before[$_], $before[$_] =~ s/:.*//sr) foreach 0 .. $#before;
is(scalar(grep { /row-level|permission denied|cannot|hidden/ } @before[ 0 .. $#refused ]),
	scalar @refused, 'what has to be refused is') or diag explain \@before;

# Private answers go on where they were: releases are refined, and others are drawn.
$s = session($new);
my $numbers = sub { return join "\n", map { s/\b\d+\b/N/gr } @_ };
is($numbers->(asked()), $numbers->(@first), 'questions are answered');
is($s->run("SELECT idp_median(age, 0.5, 'ages') FROM person")->{message}, undef, 'a release is refined');
is($s->value("SELECT trim_scale(spent) > 0.5 FROM idp.budget WHERE table_name = 'person'"), 't', 'and charged');
is($s->run("SELECT idp.trust_function('other(int)'); DROP FUNCTION half(int)")->{message}, undef, 'functions go on');
is($s->value('SELECT function FROM idp.trusted_function'), 'public.other(integer)', 'as before');
$s->quit;

done_testing();
