# Two databases that differ in one row of a hidden table and in one person of another, and connections of
# an analyst to them that report all that the server sent.
package FuzzWorlds;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::UNIX;

use FuzzExpressions qw(learn_functions);
use IdpTest;

# --- the tables -------------------------------------------------------------------------------------------

# The same in both worlds, and analyzed, so that plans are.
my $tables = <<'SQL';
CREATE TYPE mood AS ENUM ('sad', 'calm', 'glad');
CREATE TABLE t (id int UNIQUE, age int, salary float8, city text, n numeric, born date, flag bool, extra text,
  s smallint, b bigint, r real, c char(6), w varchar(8), ts timestamp, tz timestamptz, iv interval, tm time, m mood,
  j jsonb, u uuid, exact numeric(10,2), huge int, o circle);
INSERT INTO t SELECT i, 20 + i % 45, 1000.0 * i, (ARRAY['Oslo', 'Rome', '37'])[1 + i % 3], i / 4.0, date '1980-01-01' +
  i, i % 2 = 0, i::text, i, i * 1000, i / 8.0, 'c' || i, i::text, timestamp '1980-01-01 12:00' + i * interval '1 hour',
  timestamptz '1980-01-01 12:00+00' + i * interval '1 day', i * interval '1 hour',
  time '01:00' + i * interval '1 minute', (ARRAY['sad', 'calm', 'glad'])[1 + i % 3]::mood, jsonb_build_object('a', i),
  md5(i::text)::uuid, i / 4.0, i, circle(point(i, i), i) FROM generate_series(1, 60) i;
CREATE TABLE p AS SELECT * FROM t WHERE id <= 10;
CREATE INDEX ON t (id, age);
CREATE TABLE part (LIKE t) PARTITION BY LIST (flag);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (true);
CREATE TABLE part_2 PARTITION OF part DEFAULT;
INSERT INTO part SELECT * FROM t;
CREATE TABLE bare AS SELECT * FROM t;
CREATE TABLE departments (id int PRIMARY KEY, name text UNIQUE, size int, rate numeric);
INSERT INTO departments SELECT i, coalesce((ARRAY['Oslo', 'Rome', '37'])[i - 14], 'department ' || i), i % 5,
  round((i % 5)::numeric, i % 3) FROM generate_series(15, 44) i;
CREATE TABLE nations (id int PRIMARY KEY, name text, region int);
INSERT INTO nations SELECT i, 'nation ' || i, i % 3 FROM generate_series(1, 6) i;
CREATE TABLE known (id int PRIMARY KEY, name text UNIQUE);
INSERT INTO known SELECT i, i::text FROM generate_series(1, 250) i;
CREATE TABLE ranges (k int PRIMARY KEY, name text) PARTITION BY RANGE (k);
CREATE TABLE ranges_1 PARTITION OF ranges FOR VALUES FROM (MINVALUE) TO (0);
CREATE TABLE ranges_2 PARTITION OF ranges FOR VALUES FROM (0) TO (50);
CREATE TABLE ranges_3 PARTITION OF ranges FOR VALUES FROM (50) TO (MAXVALUE);
INSERT INTO ranges SELECT i, 'range ' || i FROM generate_series(-100, 2000) i;
CREATE TABLE mine (id int PRIMARY KEY, x int, note text);
INSERT INTO mine VALUES (1, 0, '');
CREATE TABLE doubled AS SELECT * FROM (SELECT id, name FROM departments UNION ALL SELECT id + 5, name
  FROM departments) d;
CREATE TABLE customers (id int PRIMARY KEY, nation int, age int, name text, joined date);
INSERT INTO customers SELECT i, 1 + i % 5, 20 + i, 'name ' || i, date '1999-01-01' + i FROM generate_series(1, 30) i;
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, day date, price numeric(10,2),
  qty int, note text);
INSERT INTO orders SELECT i, 1 + i % 30, date '2000-01-01' + i % 17, i * 1.25, i % 7, 'note ' || i
  FROM generate_series(1, 100) i;
CREATE INDEX ON orders (customer);
CREATE TABLE items (id int PRIMARY KEY, "order" int NOT NULL REFERENCES orders, quantity int, label text);
INSERT INTO items SELECT i, 1 + i % 100, i % 4, 'label ' || i FROM generate_series(1, 150) i;
ANALYZE t, p, part, bare, departments, nations, known, ranges, doubled, customers, orders, items;
ALTER TABLE ranges OWNER TO analyst;
ALTER TABLE mine OWNER TO analyst;
CREATE VIEW v AS SELECT * FROM t;
CREATE VIEW vs WITH (security_barrier) AS SELECT * FROM t WHERE age > 0;
CREATE FUNCTION all_of_t() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t';
CREATE FUNCTION all_of_v() RETURNS SETOF v LANGUAGE sql STABLE AS 'SELECT * FROM v';
CREATE FUNCTION told(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1; END';
CREATE FUNCTION same(int, int) RETURNS bool
  LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''% %'', $1, $2; RETURN $1 = $2; END';
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = same, RESTRICT = eqsel);
CREATE SEQUENCE touched;
GRANT USAGE ON SEQUENCE touched TO analyst;
GRANT SELECT, INSERT, UPDATE, DELETE ON t TO analyst;
GRANT INSERT ON part TO analyst;
GRANT SELECT ON p, v, vs, part, part_1, bare, departments, nations, known, doubled, customers, orders, items TO analyst;
SELECT idp.protect('t', 1e9, delta => 0.9), idp.protect('part', 1e9), idp.protect('bare', 1e9),
  idp.protect('p', 1e9, rows => 'visible'), idp.protect('customers', 1e9, unit => 'id', delta => 0.9);
SELECT idp.link('orders', 'customer', 'customers'), idp.link('items', 'order', 'orders');
SELECT idp.set_domain('t', 'city', ARRAY['Oslo', 'Rome', 'nowhere']),
  idp.set_domain('t', 'id', 1, 60), idp.set_domain('part', 'age', 20, 40), idp.set_domain('customers', 'nation', 1, 8),
  idp.set_domain('customers', 'age', 20, 55);
-- The second lock alone.
ALTER TABLE bare DISABLE ROW LEVEL SECURITY;
-- What a statement of the analyst's changed beside what it sent: charges, a setting, a sequence, locks.
CREATE FUNCTION state() RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  RETURN coalesce((SELECT string_agg(l.account || ' ' || l.entry || ' ' || l.spent, ',' ORDER BY l.account)
                   FROM idp.account a CROSS JOIN LATERAL (SELECT account, entry, spent FROM idp.charge
                     WHERE account = a.id ORDER BY entry DESC LIMIT 1) l), '')
    || '|' || coalesce(current_setting('fuzz.seen', true), '') || '|'
    || (SELECT last_value FROM touched) || '|'
    || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid());
END $$;
SQL

# Where Citus has their rows: by a hash, in one shard, on all nodes.
my $distribution = <<'SQL';
SELECT create_distributed_table('t', 'id'), create_distributed_table('part', 'id'),
  create_distributed_table('bare', 'id'), create_distributed_table('p', NULL, colocate_with => 'none');
SELECT create_distributed_table('nations', 'id', colocate_with => 't'), create_reference_table('departments');
SET citus.multi_shard_modify_mode = sequential;
SELECT create_reference_table('customers');
SELECT create_reference_table('orders');
SELECT create_reference_table('items');
SQL

my $removed = <<'SQL';
DELETE FROM t WHERE id = 37;
DELETE FROM part WHERE id = 37;
DELETE FROM bare WHERE id = 37;
DELETE FROM items WHERE "order" IN (SELECT id FROM orders WHERE customer = 7);
DELETE FROM orders WHERE customer = 7;
DELETE FROM customers WHERE id = 7;
SQL

# More than the tables of keys have: the row that may differ comes before them.
my $more = "INSERT INTO bare (id, huge, extra, s, city) SELECT i, i, i::text, i, 'Oslo' "
  . "FROM generate_series(61, 600) i";

# A row, and a person, for which what can fail fails: one of a few, by a number. Their keys lie in between
# others: the planner looks at the ends of indexes.
sub odd
{
	my ($number) = @_;
	my $of = sub { return $_[ $number % @_ ] };
	my $age = $of->(0, '2147483647', '(-2147483648)');
	my $text = $of->("'('", "'\\'", "'no number'");
	my $other = $of->("'\\'", "'no number'", "'('");
	# whoever sorts it needs more memory
	my $long = "(SELECT string_agg(md5(x::text), '') FROM generate_series(1, 45) x)";
	my $huge = $of->('2147483647', '(-2147483648)', '0');
	my $values = join ', ', 37, $age, $of->("'NaN'", '1e308', '-1'), $other, $of->('0', "'NaN'", '1e130000'),
	  $of->("'infinity'", "'-infinity'", "'5874897-12-31'"), 'NULL', $text,
	  $of->(0, 32767, -32768), $of->(0, '9223372036854775807', '-9223372036854775807'), $of->('0', "'infinity'",
		'3e38'), $of->("'('", "'x'", "''"), "'('", $of->("'infinity'", "'294276-12-31'", "'4713-01-01 BC'"),
	  $of->("'infinity'", "'294276-12-31'", "'4713-01-02 BC'"), $of->("'178000000 years'", "'-178000000 years'", "'0'"),
	  "'24:00'", "'glad'", $of->("'5'", "'[]'", "'null'"), "'00000000-0000-0000-0000-000000000000'", $of->(0,
		'99999999.99', '-99999999.99'), $huge, $of->("'<(0,0),1e200>'", "'<(1e308,0),1e308>'", "'<(0,0),1e-200>'");
	return <<"SQL";
INSERT INTO t VALUES ($values);
INSERT INTO part VALUES ($values);
INSERT INTO bare VALUES ($values);
INSERT INTO customers VALUES (7, NULL, $age, $text, 'infinity');
INSERT INTO orders SELECT i, 7, CASE WHEN i > 6 THEN date 'infinity' END, 99999999.99, $huge, $long
  FROM unnest(ARRAY[6, 36, 66, 96]) i;
INSERT INTO items SELECT i, 6, $age, $text FROM unnest(ARRAY[5, 35, 65, 95]) i;
SQL
}

# How the two differ, by a number: no row or an odd one, an ordinary or an odd one, an ordinary one or none.
sub differences
{
	my ($number) = @_;
	my $odd = $removed . odd(int($number / 3));
	return ([ $removed, $odd ], [ '', $odd ], [ '', $removed ])[ $number % 3 ];
}

# Both databases of a server, copies of one, so that OIDs are the same too, with the analyst's connection to each.
sub worlds
{
	my ($node, $number) = @_;
	my $differences = differences($number);
	$node->safe_psql('postgres', 'CREATE DATABASE world');
	$node->safe_psql('world', $tables);
	return map {
		my $database = "world_$_";
		$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE world");
		$node->safe_psql($database, $differences->[$_] . $more);
		FuzzWorlds->new($node, $database);
	} 0, 1;
}

# Likewise in clusters of Citus (CitusTest), a world each, so that OIDs and the numbers of shards are the same too: the
# analyst's connections to the coordinators, and those to their first workers.
sub distributed_worlds
{
	my ($clusters, $number) = @_;
	my $differences = differences($number);
	my (@coordinators, @workers);
	foreach my $world (0, 1)
	{
		my ($coordinator, $worker) = @{ $clusters->[$world] };
		$coordinator->safe_psql('postgres',
			$tables =~ s/^ALTER TABLE (?:ranges|mine) OWNER.*\n//gmr =~ s/^(?=CREATE VIEW v )/$distribution/mr);
		$coordinator->safe_psql('postgres',
			"ALTER TABLE ranges OWNER TO analyst; ALTER TABLE mine OWNER TO analyst; $differences->[$world]$more");
		$worker->safe_psql('postgres',
			q[SET citus.enable_ddl_propagation = off; CREATE OR REPLACE FUNCTION state() RETURNS text ]
			  . q[LANGUAGE sql AS 'SELECT ''|'' || coalesce(current_setting(''fuzz.seen'', true), '''')']);
		push @coordinators, FuzzWorlds->new($coordinator, 'postgres');
		push @workers, FuzzWorlds->new($worker, 'postgres');
	}
	return (\@coordinators, \@workers);
}

# --- functions ---------------------------------------------------------------------------------------------

# Functions of the server whose value is one of its arguments alone.
my $functions = <<'SQL';
SELECT p.proname, array_to_string(ARRAY(SELECT t.typname FROM unnest(p.proargtypes) WITH ORDINALITY a (type, place)
  JOIN pg_type t ON t.oid = a.type ORDER BY place), ' '), r.typname
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type r ON r.oid = p.prorettype
WHERE p.prokind = 'f' AND NOT p.proretset AND p.pronargs > 0 AND p.provolatile <> 'v' AND p.proname ~ '^[a-z]'
  AND p.proname !~ '^(pg_|current_|has_)'
  AND n.nspname = 'pg_catalog' ORDER BY 1, 2
SQL

# Has expressions call those of a server; how many there are.
sub learn_functions_of
{
	my ($node, $database) = @_;
	return learn_functions([ map { [ split /\|/ ] } split /\n/, $node->safe_psql($database, $functions) ]);
}

# --- a connection -----------------------------------------------------------------------------------------

sub new
{
	my ($class, $node, $database) = @_;
	my $path = $node->host . '/.s.PGSQL.' . $node->port;
	my $socket = IO::Socket::UNIX->new(Peer => $path) or die "cannot connect to $path: $!";
	my $self = bless { node => $node, database => $database, socket => $socket, select => IO::Select->new($socket),
		unread => '', before => '' }, $class;
	my $parameters = pack 'N(Z*)*x', 196608, user => 'analyst', database => $database;
	$self->write(pack('N', 4 + length $parameters) . $parameters);
	$self->receive;
	$self->{before} = $self->state;
	return $self;
}

sub write
{
	my ($self, $bytes) = @_;
	for (my $done = 0; $done < length $bytes;)
	{
		$done += syswrite($self->{socket}, $bytes, length($bytes) - $done, $done) // die "cannot write: $!";
	}
	return;
}

sub message { my ($type, $payload) = @_; return $type . pack('N', 4 + length $payload) . $payload }

# The extended protocol, for a statement with an integer and a text as its parameters.
sub extended
{
	my ($statement) = @_;
	my $parameters = $statement->{parameters};
	return join '', message('P', pack 'xZ*nNN', $statement->{sql}, 2, 23, 25), message('B', pack('xxnn', 0, 2)
		  . join('', map { pack 'N/a*', $_ } @$parameters) . pack('nn', 1, $statement->{binary} ? 1 : 0)),
	  message('D', pack 'ax', 'P'),
	  (map { message('E', pack 'xN', $_) } $statement->{portal} ? (1, 0) : 0), message('S', '');
}

my $cleanup = "ROLLBACK; DEALLOCATE ALL; CLOSE ALL; DISCARD TEMP; SELECT pg_advisory_unlock_all(); RESET ALL; ";

# Sends a statement without waiting: finish() gives what came of it, in turn.
sub start
{
	my ($self, $statement) = @_;
	my $asked = $statement->{parameters} ? extended($statement) : message('Q', "$statement->{sql}\0");
	# ignored unless asked for
	my $copied = defined $statement->{copied} ? message('d', $statement->{copied}) . message('c', '') : '';
	my $after = ($statement->{cleanup} ? message('Q', "$cleanup\0") : '') . message('Q', "SELECT state()\0");
	$self->write("$asked$copied$after");
	return;
}

sub take
{
	my ($self, $length) = @_;
	while (length $self->{unread} < $length)
	{
		die "no answer\n" unless $self->{select}->can_read(180);
		sysread $self->{socket}, $self->{unread}, 65536, length $self->{unread}
		  or die "the server closed the connection\n";
	}
	return substr $self->{unread}, 0, $length, '';
}

sub row
{
	my ($payload) = @_;
	my ($count, $at, @row) = (unpack('n', $payload), 2);
	foreach (1 .. $count)
	{
		my $size = unpack 'l>', substr $payload, $at, 4;
		push @row, $size < 0 ? undef : substr $payload, $at + 4, $size;
		$at += 4 + ($size < 0 ? 0 : $size);
	}
	return @row;
}

# What messages say of numbers that are the server's own: of transactions, of tables and connections that it makes,
# and how long something took.
sub without_numbers
{
	my ($message) = @_;
	return $message =~ s{xid/subid/cid: \d+}{xid/subid/cid: *}gr =~ s/(pg_toast_)\d+/$1*/gr
	  =~ s/\d+\.\d+ ?(m?s)\b/* $1/gr =~ s/\bsession \d+/session */gr
	  =~ s/\d+ microseconds/* microseconds/gr;
}

# Everything until the server is ready again: text; shape, which is the text without what a private answer
# may be (all columns but those called key…, and plans); sqlstate of the first error; rows.
sub receive
{
	my ($self) = @_;
	my (@text, @shape, @rows, $sqlstate);
	my @is_key;
	while (1)
	{
		my ($type, $length) = unpack 'aN', $self->take(5);
		my $payload = $self->take($length - 4);
		if ($type eq 'D')
		{
			my @row = row($payload);
			push @rows, \@row;
			push @text, 'row ' . join ' | ', map { defined ? "<$_>" : 'NULL' } @row;
			push @shape, 'row ' . join ' | ', map { $is_key[$_] ? $row[$_] // 'NULL' : '*' } 0 .. $#row;
			next;
		}
		my $line;
		if ($type eq 'T')
		{
			my $count = unpack 'n', $payload;
			my @columns = (unpack "n (Z* a18)$count", $payload)[ 1 .. 2 * $count ];
			my @names = @columns[ grep { $_ % 2 == 0 } 0 .. $#columns ];
			@is_key = map { /^(key|QUERY PLAN)/ } @names;
			$line = join ' ', 'columns', @names, 'of types', map { unpack 'x6 N n N', $_ }
			  @columns[ grep { $_ % 2 } 0 .. $#columns ];
		}
		elsif ($type eq 'd') { push @text, "copied $payload"; push @shape, 'copied'; next }
		elsif ($type =~ /[EN]/)
		{
			my %fields = map { /^(.)(.*)/s ? ($1, $2) : () } split /\0/, $payload;
			$sqlstate //= $fields{C} if $type eq 'E';
			die "$fields{M}\n" if $fields{S} =~ /FATAL|PANIC/;
			$line = join "\n  ", $type, map { "$_ " . without_numbers($fields{$_}) } sort keys %fields;
		}
		elsif ($type =~ /[KR]/) { next }
		else { $line = "$type $payload" }
		push @text, $line;
		push @shape, $line;
		last if $type eq 'Z';
	}
	return { text => join("\n", @text), shape => join("\n", @shape), sqlstate => $sqlstate, rows => \@rows };
}

sub ask { my ($self, $sql) = @_; $self->write(message('Q', "$sql\0")); return $self->receive }

sub state { my ($self) = @_; return $self->ask('SELECT state()')->{rows}[0][0] }

# What was charged between two states, and whatever else changed.
sub change
{
	my ($before, $after) = @_;
	my ($old, @old) = split /\|/, $before, -1;
	my ($new, @new) = split /\|/, $after, -1;
	my %old = map { /^(\d+) (.*)/ } split /,/, $old;
	my @charges;
	foreach (split /,/, $new)
	{
		my ($account, $entry, $spent) = split / /;
		my ($entry_before, $spent_before) = split / /, $old{$account} // '0 0';
		push @charges, sprintf '%d: %d %.6f', $account, $entry - $entry_before, $spent - $spent_before
		  if $entry != $entry_before;
	}
	my @effects = map { $old[$_] eq $new[$_] ? () : "$_: $new[$_]" } 0 .. $#new;
	return (join(', ', @charges), join(', ', @effects));
}

# The outcome of the statement that was started first, with charge and effects.
sub finish
{
	my ($self, $statement) = @_;
	my $outcome = $self->receive;
	$self->receive if $statement->{cleanup};
	my $after = $self->receive->{rows}[0][0];
	@$outcome{qw(charge effects)} = change($self->{before}, $after);
	$self->{before} = $after;
	$outcome->{spent} = join ',', map { s/^(\d+) \d+ /$1 /r } split /,/, $after =~ s/\|.*//sr;
	# an error may quote the time, in seconds
	s/\b1[7-9]\d{8}\.\d+/now/g foreach @$outcome{qw(text shape)};
	# servers of clusters are told by their ports
	s/\b(port=|127\.0\.0\.1:|127\.0\.0\.1',|repartition_)\d+/$1*/g foreach @$outcome{qw(text shape)};
	# what it all comes to: the same for both worlds, whatever the noise
	$outcome->{told} = join "\n", $outcome->{charge}, $outcome->{effects}, $outcome->{charge} ? $outcome->{shape}
	  : $outcome->{text};
	# without keys: of many groups that are decided about, each run shows others
	$outcome->{outline} = join "\n", $outcome->{charge}, $outcome->{effects}, $outcome->{shape} =~ s/^row .*\n//gmr;
	return $outcome;
}

# The outcome of one statement; with a rival, whose change it waits for.
sub run
{
	my ($self, $statement) = @_;
	my $rival = $statement->{rival} && ($self->{rival} //= FuzzWorlds->new(@$self{qw(node database)}));
	$rival->ask("BEGIN; $statement->{rival}") if $rival;
	$self->start($statement);
	1 until !$rival || $self->{select}->can_read(0.001)
	  || $rival->ask('SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)')->{rows}[0][0] eq 't';
	$rival->ask('COMMIT') if $rival;
	return $self->finish($statement);
}

# The outcome of one in a new connection.
sub run_first { my ($self, $statement) = @_; return FuzzWorlds->new(@$self{qw(node database)})->run($statement) }

1;
