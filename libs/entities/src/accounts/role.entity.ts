import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { User } from './user.entity.js';

@Entity('roles')
@Index('roles_name_key', ['name'], { unique: true })
export class Role {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'roles_pkey' })
  id: number;

  @Column('text')
  name: string;
}

@Entity('user_roles')
@Index('user_roles_role_id', ['roleId'])
export class UserRole {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'user_roles_pkey' })
  userId: number;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'user_roles_pkey' })
  roleId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_roles_user_id_fkey' })
  user?: Relation<User>;

  @ManyToOne(() => Role, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'role_id', foreignKeyConstraintName: 'user_roles_role_id_fkey' })
  role?: Relation<Role>;
}
